import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { websocket } from '@millrace/protocol-websocket';
import { BlockedQueue } from './BlockedQueue.js';
import { RequestSocket } from './RequestSocket.js';
import { flatRole, startSecured, type Account, type SecuredServer } from './securedServer.js';

const SEARCH = { controller: 'probe', action: 'search' };
const NOTE = { index: 'notes', collection: 'all' };
// A search that runs can't be overtaken, and several may run; that much is allowed.
const MOST_OVERTAKEN = 20;

const RIGHTS = {
  probe: ['search'],
  document: ['get'],
  server: ['now', 'healthCheck'],
  realtime: ['subscribe', 'unsubscribe'],
  auth: ['*'],
};

describe('searches that wait keep no other client waiting', () => {
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

  /** Resolves once the server has read all that was sent before. */
  const untilRead = (socket: RequestSocket) =>
    socket.request('read', { controller: 'server', action: 'now', jwt: other.jwt });

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
    const roomId = bystander.resultOf('subscribe')?.roomId;
    await sendSearches(4, 100);
    const requests = {
      now: { controller: 'server', action: 'now', jwt },
      health: { controller: 'server', action: 'healthCheck', jwt },
      get: { controller: 'document', action: 'get', ...NOTE, _id: 'one', jwt },
      unsubscribe: { controller: 'realtime', action: 'unsubscribe', body: { roomId }, jwt },
    };
    for (const [id, fields] of Object.entries(requests)) {
      expect([id, await bystander.request(id, fields)]).toEqual([id, 200]);
    }
    for (const path of ['/_now', '/_healthCheck', '/notes/all/one']) {
      expect([path, (await server.http('GET', path)).status]).toEqual([path, 200]);
    }
    const logout = { controller: 'auth', action: 'logout', jwt };
    expect(await bystander.request('logout', logout)).toBe(200);
    expect(open.map(({ succeededCount }) => succeededCount)).toEqual([6, 0, 0, 0, 0]);
  });

  it('a search of another connection overtakes the 1,000 that wait for one connection', async () => {
    const [crowd] = await sendSearches(1, 1_000);
    const single = await connectSocket();
    const answered = single.request('single', { ...SEARCH, jwt: other.jwt });
    await untilRead(single);
    queue.release();
    expect(await answered).toBe(200);
    expect(crowd?.succeededCount).toBeLessThan(MOST_OVERTAKEN);
  });

  it('a search of another user overtakes those of a user with 20 connections', async () => {
    const crowd = await sendSearches(20, 50);
    const singles = await Promise.all([connectSocket(), connectSocket('127.0.0.2')]);
    const answers = singles.map((socket, n) => socket.request(`single${n}`, { ...SEARCH, jwt: other.jwt }));
    await Promise.all(singles.map(untilRead));
    queue.release();
    expect(await Promise.all(answers)).toEqual([200, 200]);
    const before = crowd.reduce((sum, { succeededCount }) => sum + succeededCount, 0);
    expect(before).toBeLessThan(2 * MOST_OVERTAKEN);
  });
});
