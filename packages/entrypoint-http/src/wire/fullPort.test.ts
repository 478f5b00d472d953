import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { openTestServer, readAll, type TestServer } from './openTestServer.test.support.js';

const MANY = '127.0.0.3';
const FEW = '127.0.0.2';

describe('a full port (PROTO-44)', () => {
  let server: TestServer;
  const opened: Socket[] = [];
  afterEach(() => {
    for (const socket of opened.splice(0)) socket.destroy();
    return server.close();
  });

  /** Opens a connection and sends what begins a request. */
  const begin = async (localAddress: string, bytes: string): Promise<Socket> => {
    const socket = connect({ host: '127.0.0.1', port: server.port, localAddress });
    opened.push(socket);
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(bytes);
    return socket;
  };
  /** The status of the answer to one request over a new connection; undefined: closed without an answer. */
  const ask = async (localAddress: string, path: string): Promise<string | undefined> => {
    const request = `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
    const answer = await readAll(await begin(localAddress, request));
    return /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1];
  };
  const allDispatched = (count: number) => expect.poll(() => server.host.dispatched.length).toBe(count);

  it('closes connections whose requests do not arrive completely', async () => {
    server = await openTestServer({ maxConnections: 4 });
    const head =
      'POST /a/b HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n';
    for (let each = 0; each < 4; each++) {
      const [bytes] = (await once(await begin(MANY, head), 'data')) as [Buffer];
      expect(String(bytes)).toContain('100 Continue');
    }
    expect(await ask(FEW, '/_now')).toBe('200');
    expect(await ask(FEW, '/_now')).toBe('200');
  });

  it('closes the newest connection of an address with more than its share, though its request runs', async () => {
    server = await openTestServer({ maxConnections: 4 });
    server.host.runs.set('server.now', () => new Promise(() => undefined));
    const sockets: Socket[] = [];
    for (let each = 0; each < 4; each++) {
      sockets.push(await begin(MANY, 'GET /_now HTTP/1.1\r\nHost: x\r\n\r\n'));
      await allDispatched(each + 1);
    }
    const closed = once(sockets[3] as Socket, 'close');
    expect(await ask(FEW, '/')).toBe('200');
    await closed;
    expect(sockets.map(({ readyState }) => readyState)).toEqual(['open', 'open', 'open', 'closed']);
  });

  it('answers probes, and other requests with 503', async () => {
    server = await openTestServer({ maxConnections: 2 });
    server.host.runs.set('server.now', () => new Promise(() => undefined));
    for (let each = 0; each < 2; each++) {
      await begin(MANY, 'GET /_now HTTP/1.1\r\nHost: x\r\n\r\n');
      await allDispatched(each + 1);
    }
    expect(await ask(MANY, '/livez')).toBe('200');
    expect(await ask(MANY, '/')).toBe('503');
    // Silent ones don't take the places of probes.
    for (let each = 0; each < 30; each++) await begin(MANY, '');
    expect(await ask(MANY, '/readyz')).toBe('200');
    expect(server.host.dispatched).toHaveLength(2);
  });
});
