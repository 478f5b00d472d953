import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ByteBudget, type Request, type ResponseMessage } from '@millrace/kernel';
import { CLOSE_CODES } from '@millrace/plugin-kit';
import { WebSocket } from 'ws';
import type { WebsocketConfig } from './config.js';
import { FakeHost } from '@millrace/wire-testing';
import { openTestServer, testConfig, type TestClient, type TestServer } from './openTestServer.test.support.js';
import { WebsocketProtocol } from './WebsocketProtocol.js';

const started: TestServer[] = [];
async function start(changes: Partial<WebsocketConfig> = {}): Promise<TestServer> {
  const server = await openTestServer(changes);
  started.push(server);
  return server;
}
afterEach(async () => {
  for (const server of started.splice(0)) await server.close();
});

/** An action that runs until it is released. */
function slowAction(host: FakeHost) {
  const finish: (() => void)[] = [];
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  host.runs.set('slow', () => {
    begin();
    return new Promise((resolve) => finish.push(() => resolve('done')));
  });
  return { begun, finish };
}

describe('messages over WebSocket (PROTO-51)', () => {
  it('a response is an envelope whose room is its requestId, a room in the request is ignored', async () => {
    const { connect } = await start();
    const client = await connect();
    const answer = await client.request({
      requestId: 'a "quoted" id',
      room: 'elsewhere',
      body: { é: [1] },
    });
    expect(answer).toEqual({
      room: 'a "quoted" id',
      requestId: 'a "quoted" id',
      status: 200,
      error: null,
      controller: 'server',
      action: 'echo',
      index: null,
      collection: null,
      metadata: {},
      state: 'done',
      result: { é: [1] },
    });
  });

  it.each(['{not json', '"text"', '42', '[1,2]', 'null', '', '\u0000'])(
    'what is no request, %j, is answered 400 under a generated id and the connection lives on',
    async (text) => {
      const { connect } = await start();
      const client = await connect();
      client.socket.send(text);
      const [answer] = await client.atLeast(1);
      expect(answer).toMatchObject({ status: 400, result: null });
      expect(answer?.room).toBe(answer?.requestId);
      expect((await client.request({})).status).toBe(200);
    },
  );

  it('a request in a binary message is taken as well', async () => {
    const { connect } = await start();
    const client = await connect();
    client.socket.send(Buffer.from('{"controller":"server","action":"echo","requestId":"b"}'));
    expect(await client.atLeast(1)).toMatchObject([{ requestId: 'b', status: 200 }]);
  });

  it('messages in fragments, and of every length of header, arrive whole both ways', async () => {
    const { connect } = await start();
    const client = await connect();
    for (const length of [0, 1, 100, 125, 126, 127, 65_500, 65_535, 65_536, 300_000, 900_000]) {
      const body = { text: 'é'.repeat(length / 2) };
      expect((await client.request({ body })).result).toEqual(body);
    }
    client.socket.send('{"controller":"server","act', { fin: false });
    client.socket.send('ion":"echo","requestId":"f"}', { fin: true });
    expect((await client.find(({ requestId }) => requestId === 'f')).status).toBe(200);
  });

  it('many requests at once are answered each by its own id, and large results arrive in full', async () => {
    const { connect, host } = await start();
    host.runs.set('large', () => 'x'.repeat(20_000_000));
    const client = await connect();
    const large = client.request({ action: 'large' });
    const many = Array.from({ length: 1_000 }, (_, n) => client.request({ body: { n } }));
    expect((await Promise.all(many)).map(({ result }) => result)).toEqual(many.map((_, n) => ({ n })));
    expect((await large).result).toHaveLength(20_000_000);
  });

  it('a message above the limit is answered 413 and the connection closed with 1009 (PROTO-53)', async () => {
    const { connect } = await start();
    const client = await connect();
    client.socket.send(JSON.stringify({ body: 'x'.repeat(1_200_000) }));
    expect(await client.closing).toMatchObject({ code: 1009 });
    expect(client.received).toMatchObject([{ status: 413, error: { id: 'api.body_too_large' } }]);
  });

  it('a message far above the limit closes the connection before it has arrived', async () => {
    const { connect, host } = await start();
    const client = await connect();
    client.socket.send('x'.repeat(40_000_000));
    expect([1006, 1009]).toContain((await client.closing).code);
    expect(host.dispatched).toEqual([]);
  });

  it('a result that is no JSON is answered core.internal (500)', async () => {
    const { connect, host } = await start();
    host.runs.set('odd', () => 1n);
    const client = await connect();
    expect(await client.request({ action: 'odd' })).toMatchObject({ status: 500, result: null });
  });

  it('a host that rejects is answered core.internal (500)', async () => {
    const { connect, host } = await start();
    host.dispatch = () => Promise.reject(new Error('secret'));
    const client = await connect();
    const answer = await client.request({});
    expect(answer).toMatchObject({ status: 500, error: { id: 'core.internal' } });
    expect(JSON.stringify(answer)).not.toContain('secret');
  });

  it('any path is served, plain HTTP is answered 426 (PROTO-50)', async () => {
    const { url, port } = await start();
    const socket = new WebSocket(`${url}/some/path?query`);
    await once(socket, 'open');
    const response = await fetch(`http://127.0.0.1:${port}/`);
    expect([response.status, await response.text()]).toEqual([426, expect.stringContaining('ws://')]);
  });

  it('compression is not negotiated', async () => {
    const { connect } = await start();
    const client = await connect({ perMessageDeflate: true });
    expect(client.socket.extensions).toBe('');
  });
});

describe('connections', () => {
  it('are announced when they open and when they are gone, with the address of the peer', async () => {
    const { connect, host } = await start();
    const client = await connect();
    expect([...host.open]).toMatchObject([{ id: 'websocket-1', protocol: 'websocket', remoteAddress: '127.0.0.1' }]);
    client.socket.terminate();
    await expect.poll(() => host.open.size).toBe(0);
  });

  it('past maxConnections are refused with 503 until one closes (PROTO-54)', async () => {
    const { connect, url, host } = await start({ maxConnections: 1 });
    const first = await connect();
    const second = new WebSocket(url);
    const [error] = (await once(second, 'error')) as [Error];
    expect(error.message).toContain('503');
    first.socket.close();
    await expect.poll(() => host.open.size).toBe(0);
    await connect();
  });

  it('are pinged every keepAliveMs and closed once two pings stay unanswered (PROTO-52)', async () => {
    const { connect, host } = await start({ keepAliveMs: 100 });
    const [silent, alive] = [await connect({ autoPong: false }), await connect()];
    await silent.closing;
    expect(silent.pingCount).toBe(2);
    await expect.poll(() => host.open.size).toBe(1);
    expect((await alive.request({})).status).toBe(200);
  });

  it('a ping is answered with its payload', async () => {
    const { connect } = await start();
    const client = await connect();
    client.socket.ping('payload');
    const [payload] = (await once(client.socket, 'pong')) as [Buffer];
    expect(payload.toString()).toBe('payload');
  });

  it('a connection with maxRunningRequests running is not read until one is answered', async () => {
    const { connect, host } = await start({ maxRunningRequests: 3 });
    const { finish } = slowAction(host);
    const client = await connect();
    const first = Array.from({ length: 3 }, () => client.request({ action: 'slow' }));
    await expect.poll(() => finish.length).toBe(3);
    const late = client.request({});
    const other = await connect();
    await other.request({});
    expect(client.received).toEqual([]);
    finish.forEach((end) => end());
    expect((await Promise.all([...first, late])).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  it('are closed once the incomplete messages of their address take more than its share', async () => {
    const { port, host } = await start();
    host.bytes = new ByteBudget(900_000);
    const frame = (bytes: number) => {
      const head = Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
      head.writeUInt32BE(1_000_000, 6);
      return Buffer.concat([head, Buffer.alloc(bytes)]);
    };
    const open = async () => {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined);
      const closed = once(socket, 'close');
      socket.write(
        'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
          'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
      );
      await once(socket, 'data');
      socket.resume();
      return { socket, closed };
    };
    const first = await open();
    const second = await open();
    first.socket.write(frame(400_000));
    await expect.poll(() => host.bytes.heldBytes).toBeGreaterThan(390_000);
    second.socket.write(frame(400_000));
    await second.closed;
    expect(first.socket.destroyed).toBe(false);
    first.socket.destroy();
    await expect.poll(() => host.bytes.heldBytes).toBe(0);
    // Also short parts: a port may have 50,000 connections.
    const third = await open();
    third.socket.write(frame(8_000));
    await expect.poll(() => host.bytes.heldBytes).toBeGreaterThan(7_900);
    third.socket.destroy();
    await expect.poll(() => host.bytes.heldBytes).toBe(0);
  });

  it('end the wait of their requests when they are closed', async () => {
    const { connect: open, host } = await start();
    const { begun, finish } = slowAction(host);
    const client = await open();
    client.socket.send(JSON.stringify({ controller: 'server', action: 'slow' }));
    await begun;
    const { signal } = host.dispatched[0] as Request;
    expect(signal.aborted).toBe(false);
    client.socket.terminate();
    await expect.poll(() => signal.aborted).toBe(true);
    finish.forEach((end) => end());
  });

  it('a client that asks and never reads is read no further, and closed in the end', async () => {
    const { connect, host } = await start({ maxStallMs: 300 });
    const client = await connect();
    client.socket.pause();
    const text = 'x'.repeat(20_000);
    for (let n = 0; n < 3_000; n++) {
      const message = { controller: 'server', action: 'echo', body: { n, text } };
      client.socket.send(JSON.stringify(message), () => undefined);
      if (n % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await expect.poll(() => host.open.size).toBe(0);
    expect(host.dispatched.length).toBeLessThan(2_000);
    client.socket.terminate();
  });

  it('half a handshake, and bytes that are no HTTP, are closed', async () => {
    const { port } = await start();
    const socket = connect(port, '127.0.0.1').resume();
    socket.on('error', () => undefined);
    socket.write('\x16\x03\x01 no http\r\n\r\n');
    await once(socket, 'close');
    const early = connect(port, '127.0.0.1').resume();
    early.on('error', () => undefined);
    early.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    await once(early, 'close');
  });
});

describe('start and stop (PROTO-43)', () => {
  it('tells the address with the port that was free, and refuses a port that is taken', async () => {
    const { port, url } = await start();
    expect(url).toBe(`ws://127.0.0.1:${port}`);
    const second = new WebsocketProtocol(testConfig({ port }));
    await expect(second.start(new FakeHost())).rejects.toThrow(`port ${port} of 127.0.0.1`);
    await second.stop();
  });

  it('a stop lets running requests answer, then closes with 1012 (PROTO-43)', async () => {
    const { connect, host, protocol } = await start();
    const { begun, finish } = slowAction(host);
    const [busy, idle] = [await connect(), await connect()];
    const running = busy.request({ action: 'slow' });
    await begun;
    const stopped = protocol.stop();
    expect(await idle.closing).toMatchObject({ code: 1012 });
    await expect(connect()).rejects.toThrow();
    expect(busy.socket.readyState).toBe(WebSocket.OPEN);
    finish.forEach((end) => end());
    expect((await running).result).toBe('done');
    expect(await busy.closing).toMatchObject({ code: 1012 });
    await stopped;
    expect(host.open.size).toBe(0);
  });

  it('a stop does not wait longer than drainTimeoutMs for requests, nor for clients that do not answer', async () => {
    const { connect, host, protocol } = await start({ drainTimeoutMs: 30 });
    const { begun } = slowAction(host);
    const [busy, deaf] = [await connect(), await connect()];
    void busy.request({ action: 'slow' });
    await begun;
    deaf.socket.pause();
    await protocol.stop();
    expect(await busy.closing).toMatchObject({ code: 1012 });
    expect(host.open.size).toBe(0);
  });

  it('a stop tells the clients to return over five seconds, not all at once (PROTO-43)', async () => {
    const { connect, protocol } = await start();
    const clients = [await connect(), await connect(), await connect(), await connect()];
    await protocol.stop();
    const reasons = await Promise.all(clients.map(({ closing }) => closing));
    expect(reasons.map(({ reason }) => JSON.parse(reason) as unknown)).toEqual([
      { retryAfterMs: 0 },
      { retryAfterMs: 1_250 },
      { retryAfterMs: 2_500 },
      { retryAfterMs: 3_750 },
    ]);
  });
});

describe('heartbeats (PROTO-47)', () => {
  it('come after a time of silence, once the connection has asked for them, with the position (RESUME-23)', async () => {
    const { connect, host } = await start({ heartbeatMs: 30 });
    host.runs.set('hello', ({ connection }: Request) => connection.startHeartbeats?.());
    const [greeted, other] = [await connect(), await connect()];
    expect((await greeted.request({ action: 'hello' })).result).toBe(30);
    const heartbeats = (client: TestClient) => client.received.filter((message) => 'type' in message);
    await expect.poll(() => heartbeats(greeted).length).toBeGreaterThan(1);
    expect(heartbeats(greeted)[0]).toEqual({ type: 'heartbeat' });
    host.cursor = 'e1.00000001';
    const withCursor = { type: 'heartbeat', cursor: 'e1.00000001' };
    await expect.poll(() => heartbeats(greeted).at(-1)).toEqual(withCursor);
    await other.request({ action: 'now' });
    expect(heartbeats(other)).toEqual([]);
  });
});

describe('close codes (PROTO-53)', () => {
  const sent = Object.keys(CLOSE_CODES).filter((code) => CLOSE_CODES[Number(code)]?.isSent);

  it('are those of the table', async () => {
    const page = await readFile(`${import.meta.dirname}/../../../docs/reference/protocols.md`, 'utf8');
    const rows = [...page.matchAll(/^ {2}\| (1\d{3})\b.*\| (yes|no) \|$/gm)];
    expect(rows.map(([, code, mayReconnect]) => [Number(code), mayReconnect === 'yes'])).toEqual(
      Object.entries(CLOSE_CODES).map(([code, row]) => [Number(code), row.mayReconnect]),
    );
  });

  it('are the only ones that the server sends, for each kind of misuse', async () => {
    const { connect, protocol, url } = await start({ maxMessageBytes: 100 });
    const codes = new Set<number>();
    const [large, garbled, stopped] = [await connect(), await connect(), await connect()];
    large.socket.send('x'.repeat(150));
    codes.add((await large.closing).code);
    garbled.socket.send(Buffer.from([0xff]), { binary: false });
    codes.add((await garbled.closing).code);
    codes.add(await codeAfter(url, Buffer.from([0xf1, 0x80, 0, 0, 0, 0])));
    await protocol.stop();
    codes.add((await stopped.closing).code);
    expect([...codes].sort()).toEqual([1002, 1007, 1009, 1012]);
    // 1013 is for slow clients: PROTO-42.
    expect(sent.map(Number).filter((code) => code !== 1013)).toEqual([...codes].sort());
  });
});

/** The code with which the server closes a connection that sends these bytes. */
async function codeAfter(url: string, bytes: Buffer): Promise<number> {
  const client = new WebSocket(url);
  await once(client, 'open');
  const closed = once(client, 'close') as Promise<[number]>;
  (client as unknown as { readonly _socket: Socket })._socket.write(bytes);
  return (await closed)[0];
}

describe('notifications', () => {
  const envelope = (n: number) => JSON.stringify({ status: 200, requestId: 'writer', n });
  const numbers = (messages: readonly ResponseMessage[]) =>
    messages.map((message) => (message as unknown as { n: number }).n);

  it('reach those who joined the channel, with room = the channel, in order, but the one left out', async () => {
    const { connect, protocol } = await start();
    const [one, two, other] = [await connect(), await connect(), await connect()];
    for (const { connectionId } of [one, two]) protocol.notifier.join(connectionId, 'room-a');
    protocol.notifier.join(other.connectionId, 'room-b');
    for (let n = 0; n < 100; n++) protocol.notifier.publish('room-a', envelope(n));
    protocol.notifier.publish('room-a', envelope(100), one.connectionId);
    protocol.notifier.publish('room-a', envelope(101));
    protocol.notifier.notify(other.connectionId, 'room-b', envelope(1));
    await two.atLeast(102);
    expect(two.received[0]).toEqual({ room: 'room-a', status: 200, requestId: 'writer', n: 0 });
    expect(numbers(two.received)).toEqual(Array.from({ length: 102 }, (_, n) => n));
    await one.atLeast(101);
    expect(numbers(one.received).slice(-2)).toEqual([99, 101]);
    expect(await other.atLeast(1)).toMatchObject([{ room: 'room-b', n: 1 }]);
  });

  it('a message without a channel comes under its request id', async () => {
    const { connect, protocol } = await start();
    const client = await connect();
    const text = JSON.stringify({ requestId: 'server notification', status: 200 });
    protocol.notifier.notify(client.connectionId, null, text);
    expect(await client.atLeast(1)).toMatchObject([{ room: 'server notification', status: 200 }]);
  });

  it('nothing of a channel arrives after leave, and unknown connections are passed over', async () => {
    const { connect, protocol } = await start();
    const client = await connect();
    const { notifier } = protocol;
    notifier.join('nobody', 'c');
    notifier.leave('nobody', 'c');
    notifier.notify('nobody', 'c', envelope(0));
    notifier.join(client.connectionId, 'c');
    notifier.publish('c', envelope(1));
    notifier.leave(client.connectionId, 'c');
    notifier.publish('c', envelope(2));
    await client.request({});
    expect(client.received).toMatchObject([{ n: 1 }, { status: 200 }]);
  });

  it('a slow consumer is closed, with 1013 once it reads again; a healthy one gets everything', async () => {
    const { connect, host, protocol } = await start({ maxWaitingBytes: 1_000_000 });
    const [healthy, slow] = [await connect(), await connect()];
    for (const { connectionId } of [healthy, slow]) protocol.notifier.join(connectionId, 'c');
    slow.socket.pause();
    const pad = 'x'.repeat(4_000);
    for (let n = 0; n < 4_000; n++) {
      protocol.notifier.publish('c', JSON.stringify({ n, pad }));
      if (n % 50 === 49) await new Promise((resolve) => setImmediate(resolve));
    }
    await healthy.atLeast(4_000);
    expect(numbers(healthy.received)).toEqual(Array.from({ length: 4_000 }, (_, n) => n));
    await expect.poll(() => host.open.size).toBe(1);
    expect(host.slow.map(({ id }) => id)).toEqual([slow.connectionId]);
    slow.socket.resume();
    expect([1006, 1013]).toContain((await slow.closing).code);
    expect(slow.received.length).toBeLessThan(4_000);
  });

  it('a consumer that takes nothing for maxStallMs is closed though little waits', async () => {
    const { connect, host, protocol } = await start({ maxStallMs: 100 });
    const slow = await connect();
    protocol.notifier.join(slow.connectionId, 'c');
    slow.socket.pause();
    const pad = 'x'.repeat(60_000);
    // More than the operating system's buffers hold, less than the limit of bytes.
    for (let n = 0; n < 130; n++) {
      protocol.notifier.publish('c', JSON.stringify({ n, pad }));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(host.open.size).toBe(1);
    await expect.poll(() => host.open.size).toBe(0);
    slow.socket.resume();
    await slow.closing;
  });

  it('30 MB of notifications published in one go reach a client that reads', async () => {
    const { connect, host, protocol } = await start();
    const client = await connect();
    protocol.notifier.join(client.connectionId, 'c');
    const pad = 'x'.repeat(10_000);
    for (let n = 0; n < 3_000; n++) protocol.notifier.publish('c', JSON.stringify({ n, pad }));
    await client.atLeast(3_000);
    expect(numbers(client.received)).toEqual(Array.from({ length: 3_000 }, (_, n) => n));
    expect(host.open.size).toBe(1);
  });
});
