import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RequestSocket } from '../security/RequestSocket.js';
import { LockedProcess } from './LockedProcess.js';

const DOCUMENTS = 60_000;
const PER_BULK = 10_000;
const WORDS = ['mill', 'race', 'water', 'wheel', 'order', 'north', 'forge', 'stone', 'world', 'doors'];
const SEARCH = {
  controller: 'document',
  action: 'search',
  index: 'small',
  collection: 'docs',
  body: { query: { wildcard: { 't.keyword': { value: '*o*r*d*5*x*' } } } },
};
const GET = {
  controller: 'document',
  action: 'get',
  index: 'small',
  collection: 'docs',
  _id: 'd1',
};
const CONNECTIONS = 4;
const SEARCHES_EACH = 100;

describe('real searches on the search thread', () => {
  let server: LockedProcess;
  let url: string;
  let jwt: string;
  /** Milliseconds of one search on a quiet server. */
  let tookMs: number;
  const open: RequestSocket[] = [];

  const connectSocket = async () => {
    const socket = await RequestSocket.open(url);
    open.push(socket);
    return socket;
  };
  const crowd = async () => {
    const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, connectSocket));
    for (const socket of sockets) {
      for (let n = 0; n < SEARCHES_EACH; n++) socket.send({ ...SEARCH, jwt });
    }
    // Until the first has been answered, so that the others wait.
    const answeredCount = () => sockets.reduce((sum, { succeededCount }) => sum + succeededCount, 0);
    await expect.poll(answeredCount, { interval: 5 }).toBeGreaterThan(0);
    return { sockets, answeredCount };
  };

  beforeAll(async () => {
    server = await LockedProcess.open();
    url = await server.urlOf('websocket');
    jwt = server.adminJwt;
    await server.call('PUT', '/small');
    const text = { type: 'text', fields: { keyword: { type: 'keyword' } } };
    await server.call('PUT', '/small/docs', { properties: { t: text } });
    for (let from = 0; from < DOCUMENTS; from += PER_BULK) {
      const bulkData = Array.from({ length: PER_BULK }, (_, n) => {
        const number = from + n;
        const words = [1, 3, 7].map((step) => WORDS[(number * step) % WORDS.length]);
        return [{ index: { _id: `d${number}` } }, { t: `${words.join(' ')} ${number}` }];
      }).flat();
      const { status, text: answer } = await server.call('POST', '/small/docs/_bulk', { bulkData });
      if (status !== 200) throw new Error(answer);
    }
    const socket = await connectSocket();
    for (const id of ['first', 'second', 'third']) {
      const startMs = performance.now();
      expect(await socket.request(id, { ...SEARCH, jwt })).toBe(200);
      tookMs = performance.now() - startMs;
    }
  });
  afterAll(async () => {
    for (const socket of open) socket.close();
    await server.close();
  });

  it('requests of other clients are answered before a few of 400 searches have ended', async () => {
    const bystander = await connectSocket();
    const { sockets, answeredCount } = await crowd();
    const before = answeredCount();
    const messages = {
      now: { controller: 'server', action: 'now' },
      health: { controller: 'server', action: 'healthCheck' },
      get: { ...GET, jwt },
    };
    for (const [id, fields] of Object.entries(messages)) {
      expect([id, await bystander.request(id, fields)]).toEqual([id, 200]);
    }
    expect((await server.call('GET', '/_healthCheck')).status).toBe(200);
    expect((await server.call('GET', '/small/docs/d1')).status).toBe(200);
    expect(answeredCount() - before).toBeLessThan((CONNECTIONS * SEARCHES_EACH) / 10);
    for (const socket of sockets) socket.close();
  });

  it('a search is answered soon after the clients of 400 searches have left', async () => {
    const { sockets } = await crowd();
    for (const socket of sockets) socket.close();
    const startMs = performance.now();
    const single = await connectSocket();
    expect(await single.request('single', { ...SEARCH, jwt })).toBe(200);
    const waitedMs = performance.now() - startMs;
    // The machine may have become slower since the first one.
    const againMs = performance.now();
    expect(await single.request('again', { ...SEARCH, jwt })).toBe(200);
    const oneMs = Math.max(tookMs, performance.now() - againMs);
    // All abandoned searches would take 400 times as long as one.
    expect(waitedMs / oneMs).toBeLessThan((CONNECTIONS * SEARCHES_EACH) / 6);
  });
});
