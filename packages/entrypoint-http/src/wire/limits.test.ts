import { once } from 'node:events';
import { inTurn } from '@millrace/kernel';
import { afterEach, describe, expect, it } from 'vitest';
import { openTestServer, readAll, type TestServer } from './openTestServer.test.support.js';

describe('HTTP limits and broken clients', () => {
  let server: TestServer;
  afterEach(() => server.close());

  const stillWorks = async () => (await server.send('GET', '/_now')).status === 200;

  it.each([
    ['no HTTP at all', '\u0016\u0003\u0001garbage\r\n\r\n', 400],
    ['an unknown version', 'GET / HTTP/9.9\r\nHost: x\r\n\r\n', 400],
    ['no Host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['two Hosts', 'GET / HTTP/1.1\r\nConnection: close\r\nHost: a\r\nHost: b\r\n\r\n', 400],
    ['a Host with a path', 'GET / HTTP/1.1\r\nConnection: close\r\nHost: a/b\r\n\r\n', 400],
    ['a space before the colon', 'GET / HTTP/1.1\r\nHost : x\r\n\r\n', 400],
    ['a folded header', 'GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n', 400],
    [
      'length and chunks',
      'POST /a/b HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['two lengths', 'POST /a/b HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nabcde', 400],
    ['a negative length', 'POST /a/b HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n', 400],
    [
      'another transfer encoding',
      'POST /a/b HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    [
      'two tokens',
      'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: a\r\nAuthorization: b\r\n\r\n',
      400,
    ],
    ['raw bytes in the address', 'GET /é HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 400],
    ['a malformed chunk', 'POST /a/b HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n', 400],
    ['a head above 16 KB', `GET / HTTP/1.1\r\nHost: x\r\nA: ${'b'.repeat(20_000)}\r\n\r\n`, 431],
    ['an address above 16 KB', `GET /${'b'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
  ])('PROTO-33: %s is answered and closed', async (_, bytes, status) => {
    server = await openTestServer();
    const answer = await server.raw(bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer.toLowerCase()).toContain('\r\nconnection: close\r\n');
    const envelope = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) as { error: object };
    expect(envelope).toMatchObject({ status, state: 'done', error: { status } });
    expect(await stillWorks()).toBe(true);
  });

  it('unknown routes and malformed requests are dispatched, so that they are counted', async () => {
    server = await openTestServer();
    await server.send('GET', '/_unknown');
    await server.raw('garbage\r\n\r\n');
    expect(server.host.dispatched.map(({ fault }) => fault?.id)).toEqual(['api.route_not_found', 'http.malformed']);
  });

  it('garbage behind a valid request does not touch its answer', async () => {
    server = await openTestServer();
    const answer = await server.raw('GET /_now HTTP/1.1\r\nHost: x\r\n\r\ngarbage garbage\r\n\r\n');
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
    expect(answer).toContain('"action":"now"');
  });

  it('pipelined requests are answered in order', async () => {
    server = await openTestServer();
    const one = (n: number) => `GET /_now?requestId=r${n} HTTP/1.1\r\nHost: x\r\n\r\n`;
    const last = 'GET /_now?requestId=r4 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const answers = await server.raw(one(1) + one(2) + one(3) + last);
    expect(answers.match(/X-Request-Id: r\d/g)).toEqual([1, 2, 3, 4].map((n) => `X-Request-Id: r${n}`));
  });

  it('PROTO-33: of more than 100 pipelined requests 100 are answered, then the connection is closed', async () => {
    server = await openTestServer();
    const one = (n: number) => `GET /_now?requestId=r${n} HTTP/1.1\r\nHost: x\r\n\r\n`;
    const numbers = Array.from({ length: 3_000 }, (_, n) => n);
    const answers = await server.raw(numbers.map(one).join(''));
    expect(answers.match(/X-Request-Id: r\d+/g)).toEqual(numbers.slice(0, 100).map((n) => `X-Request-Id: r${n}`));
    expect(server.host.dispatched).toHaveLength(100);
    expect(await stillWorks()).toBe(true);
  });

  it('PROTO-33: of pipelined requests all but a broken one are answered', async () => {
    server = await openTestServer();
    const one = (n: number) => `GET /_now?requestId=r${n} HTTP/1.1\r\nHost: x\r\n\r\n`;
    const broken =
      'POST /a/b HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nno length\r\n';
    const answers = await server.raw(one(1) + one(2) + broken);
    expect(answers.match(/X-Request-Id: r\d/g)).toEqual(['X-Request-Id: r1', 'X-Request-Id: r2']);
    expect(await stillWorks()).toBe(true);
  });

  it('PROTO-33: half a head and half a body are answered 408 and closed', async () => {
    server = await openTestServer({ headersTimeoutMs: 100, requestTimeoutMs: 200 });
    const answers = await Promise.all([
      server.raw('GET /_now HTTP/1.1\r\nHost:'),
      server.raw('POST /a/b HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"a"'),
      server.raw(''),
    ]);
    expect(answers.map((answer) => answer.slice(0, 12))).toEqual(Array.from({ length: 3 }, () => 'HTTP/1.1 408'));
    expect(answers[1]).toContain('"action":"publish"');
    expect(await stillWorks()).toBe(true);
  });

  it('an action may take longer than the client has to send its request', async () => {
    server = await openTestServer({ headersTimeoutMs: 100, requestTimeoutMs: 200 });
    server.host.runs.set('server.now', () => new Promise((resolve) => setTimeout(() => resolve('late'), 3_000)));
    expect((await server.send('GET', '/_now')).json.result).toBe('late');
  });

  it('a malformed body is answered 400, also if it arrives before the turn of its request', async () => {
    server = await openTestServer();
    let isBusy = true;
    const keepBusy = () => {
      // Each takes a turn of the event loop.
      if (isBusy) inTurn('10.0.0.1', 100_000, keepBusy);
    };
    keepBusy();
    const head = 'POST /a/b HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
    const answer = await server.raw(`${head}Transfer-Encoding: chunked\r\n\r\nno length\r\n`);
    isBusy = false;
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(server.host.dispatched.map(({ fault }) => fault?.id)).toEqual(['http.malformed']);
  });

  it('a client that sends half a body and shuts its side down gets a 400', async () => {
    server = await openTestServer();
    const socket = await server.dial();
    socket.end('POST /a/b HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"a"');
    expect(await readAll(socket)).toMatch(/^HTTP\/1\.1 400 /);
    expect(server.host.dispatched.map(({ fault }) => fault?.id)).toEqual(['http.malformed']);
  });

  it('clients that vanish in the middle leave nothing behind', async () => {
    server = await openTestServer();
    const gone: Promise<unknown>[] = [];
    for (let count = 0; count < 50; count++) {
      const socket = await server.dial();
      socket.write('POST /a/b HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"a"');
      setImmediate(() => socket.resetAndDestroy());
      gone.push(once(socket, 'close'));
    }
    await Promise.all(gone);
    expect(await stillWorks()).toBe(true);
    expect(server.host.dispatched.filter(({ fault }) => fault === null)).toHaveLength(1);
  });

  it('a client that resets its connection while its action runs affects no other client', async () => {
    server = await openTestServer();
    const socket = await server.dial();
    const started = new Promise<void>((resolve) => {
      server.host.runs.set('server.info', () => {
        resolve();
        return once(socket, 'close').then(() => 'x'.repeat(1_000_000));
      });
    });
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await started;
    socket.resetAndDestroy();
    expect(await stillWorks()).toBe(true);
  });

  it('PROTO-33: a client that takes nothing of its answer is closed after http.sendTimeoutMs', async () => {
    server = await openTestServer({ sendTimeoutMs: 200 });
    server.host.runs.set('server.info', () => 'x'.repeat(50_000_000));
    const socket = await server.dial();
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    // Nothing reads the socket. Once the server has closed it, the next line break sent there causes a reset.
    const prodding = setInterval(() => socket.write('\r\n'), 1_000);
    await new Promise((resolve) => socket.once('close', resolve));
    clearInterval(prodding);
    expect(socket.bytesRead).toBeLessThan(50_000_000);
  });

  it('config http.maxBodySize and http.cors.origin are honoured', async () => {
    server = await openTestServer({ maxBodySize: '1kb', cors: { origin: ['http://a'] } });
    const body = JSON.stringify({ a: 'x'.repeat(1_024) });
    const headers = { origin: 'http://a' };
    const refused = await server.send('POST', '/a/b', { body, headers });
    expect([refused.status, refused.headers['access-control-allow-origin']]).toEqual([413, 'http://a']);
    const foreign = await server.send('GET', '/_now', { headers: { origin: 'http://b' } });
    expect([foreign.headers['access-control-allow-origin'], foreign.headers.vary]).toEqual([undefined, 'Origin']);
  });
});
