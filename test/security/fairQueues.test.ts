import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { websocket } from '@millrace/protocol-websocket';
import { BlockedQueue } from './BlockedQueue.js';
import { RequestSocket } from './RequestSocket.js';
import { flatRole, startSecured, type Account, type SecuredServer } from './securedServer.js';

const SEARCH = { controller: 'probe', action: 'search' };
const NOTE = { index: 'notes', collection: 'all' };
// A search that runs can't be overtaken, and several may run; that much is allowed.
const MOST_OVERTAKEN = 20;
const MOST_RUNNING = 50;

const RIGHTS = {
  probe: ['search'],
  document: ['get'],
  server: ['now', 'healthCheck'],
  realtime: ['subscribe', 'unsubscribe'],
  auth: ['*'],
};

describe('searches that wait keep no other client waiting (security review H1)', () => {
  let queue: BlockedQueue;
  let server: SecuredServer;
  let searcher: Account;
  let other: Account;
  let url: string;
  const open: RequestSocket[] = [];

  const start = async (tookMs: number) => {
    queue = new BlockedQueue(tookMs);
    const config = { websocket: { port: 0, maxRunningRequests: 1_000 } };
    server = await startSecured(config, { plugins: [websocket(), queue.plugin] });
    const addresses = await server.started.kernel.start();
    url = addresses.find(({ protocol }) => protocol === 'websocket')?.url ?? '';
    await server.result('PUT', '/notes');
    await server.result('PUT', '/notes/all');
    await server.result('PUT', '/notes/all/one', { body: { text: 'a note' } });
    searcher = await server.account(flatRole(RIGHTS));
    other = await server.account(flatRole(RIGHTS));
  };
  const connectSocket = async (localAddress?: string) => {
    const socket = await RequestSocket.open(url, localAddress);
    open.push(socket);
    return socket;
  };
  /** Sends searches over several connections and waits until one of them runs. */
  const sendSearches = async (connections: number, each: number) => {
    const sockets = await Promise.all(Array.from({ length: connections }, () => connectSocket()));
    for (const socket of sockets) {
      for (let n = 0; n < each; n++) socket.send({ ...SEARCH, jwt: searcher.jwt });
    }
    await expect.poll(() => queue.startedCount).toBeGreaterThan(0);
    // All that the server takes at all has arrived by then: one more round trip per connection is not possible here.
    await new Promise((resolve) => setTimeout(resolve, 300));
    return sockets;
  };
  const waitingCount = async () => {
    const { text } = await server.http('GET', '/_metrics');
    const values = [...text.matchAll(/^millrace_requests_waiting(?:\{[^}]*\})? (\d+)/gm)];
    return values.reduce((sum, [, value]) => sum + Number(value), 0);
  };

  beforeEach(() => start(2));
  afterEach(async () => {
    queue.release();
    for (const socket of open.splice(0)) socket.close();
    await server.close();
  });

  it('other requests are answered over WebSocket and HTTP while 400 searches wait', async () => {
    const bystander = await connectSocket();
    const { jwt } = other;
    const subscribe = { controller: 'realtime', action: 'subscribe', ...NOTE, body: {}, jwt };
    expect(await bystander.request('subscribe', subscribe)).toBe(200);
    await sendSearches(4, 100);
    const requests = {
      now: { controller: 'server', action: 'now', jwt },
      health: { controller: 'server', action: 'healthCheck', jwt },
      get: { controller: 'document', action: 'get', ...NOTE, _id: 'one', jwt },
    };
    for (const [id, fields] of Object.entries(requests)) {
      expect([id, await bystander.request(id, fields)]).toEqual([id, 200]);
    }
    for (const path of ['/_now', '/_healthCheck', '/notes/all/one']) {
      expect([path, (await server.http('GET', path)).status]).toEqual([path, 200]);
    }
    const logout = { controller: 'auth', action: 'logout', jwt };
    expect(await bystander.request('logout', logout)).toBe(200);
    expect(open.map(({ succeededCount }) => succeededCount)).toEqual([5, 0, 0, 0, 0]);
  }, 20_000);

  it('a search of another connection overtakes the 1,000 that wait for one connection', async () => {
    const [crowd] = await sendSearches(1, 1_000);
    const single = await connectSocket();
    const answered = single.request('single', { ...SEARCH, jwt: other.jwt });
    queue.release();
    expect(await answered).toBe(200);
    expect(crowd?.succeededCount).toBeLessThan(MOST_OVERTAKEN);
  }, 20_000);

  it('a search of another user overtakes those of a user with 20 connections', async () => {
    const crowd = await sendSearches(20, 50);
    const singles = await Promise.all([connectSocket(), connectSocket('127.0.0.2')]);
    const answers = singles.map((socket, n) =>
      socket.request(`single${n}`, { ...SEARCH, jwt: other.jwt }),
    );
    await new Promise((resolve) => setTimeout(resolve, 100));
    queue.release();
    expect(await Promise.all(answers)).toEqual([200, 200]);
    const before = crowd.reduce((sum, { succeededCount }) => sum + succeededCount, 0);
    expect(before).toBeLessThan(2 * MOST_OVERTAKEN);
  }, 20_000);

  it('searches of closed WebSockets that wait never run', async () => {
    const sockets = await sendSearches(4, 100);
    for (const socket of sockets) socket.close();
    await expect.poll(waitingCount, { timeout: 5_000 }).toBe(0);
    const startedCount = queue.startedCount;
    expect(startedCount).toBeLessThan(MOST_RUNNING);
    queue.release();
    const single = await connectSocket();
    expect(await single.request('single', { ...SEARCH, jwt: other.jwt })).toBe(200);
    expect(queue.startedCount).toBe(startedCount + 1);
  }, 20_000);

  it('searches of closed HTTP connections that wait never run', async () => {
    const { hostname, port } = new URL(server.started.url);
    const sockets: Socket[] = [];
    for (let n = 0; n < 200; n++) {
      const socket = connect(Number(port), hostname);
      sockets.push(socket);
      await once(socket, 'connect');
      socket.write(
        `POST /_probe HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${searcher.jwt}\r\nContent-Length: 0\r\n\r\n`,
      );
    }
    await expect.poll(() => queue.startedCount).toBeGreaterThan(0);
    await new Promise((resolve) => setTimeout(resolve, 300));
    for (const socket of sockets) socket.destroy();
    await expect.poll(waitingCount, { timeout: 5_000 }).toBe(0);
    const startedCount = queue.startedCount;
    expect(startedCount).toBeLessThan(MOST_RUNNING);
    queue.release();
    const single = await connectSocket();
    expect(await single.request('single', { ...SEARCH, jwt: other.jwt })).toBe(200);
    expect(queue.startedCount).toBe(startedCount + 1);
  }, 20_000);
});
