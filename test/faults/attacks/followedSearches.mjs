import { textFrame } from '../RawWebSocket.mjs';

const CONNECTIONS = 8;
const FOLLOWS_EACH = 900;
const DOCUMENTS = 5_000;
const WRITERS = 2;
const WRITE_EVERY_MS = 20;
const STAY_MS = 500;
const ROLE = {
  controllers: {
    auth: { actions: { '*': true } },
    document: { actions: { search: true, createOrReplace: true } },
    realtime: { actions: { follow: true } },
  },
};
const TAGS = 500;

/**
 * 7,200 different followed searches on eight connections, in turn with aggregations, large windows and scores, of one
 * collection that their user writes to.
 */
export const followedSearches = {
  finding: '–',
  async prepare(server) {
    await server.call('PUT', '/rooms');
    await server.call('PUT', '/rooms/all');
    const bulkData = Array.from({ length: DOCUMENTS }, (_, n) => [
      { create: {} },
      { tag: `t${n % TAGS}`, n, text: `the quick brown fox ${n}` },
    ]).flat();
    await server.call('POST', '/rooms/all/_bulk', { bulkData });
    return server.account('mallory', ROLE);
  },
  async run(attacker) {
    const { token: jwt } = attacker.prepared;
    const follow = { controller: 'realtime', action: 'follow', index: 'rooms', collection: 'all', jwt };
    const bodies = [
      (n) => ({
        query: { range: { n: { gte: n } } },
        size: 0,
        aggs: { a: { terms: { field: 'tag.keyword', size: 500 }, aggs: { p: { percentiles: { field: 'n' } } } } },
      }),
      (n) => ({ query: { range: { n: { gte: n } } }, sort: [{ n: 'desc' }], size: 1_000 }),
      (n) => ({ query: { match: { text: `fox quick ${n}` } }, size: 100, highlight: { fields: { text: {} } } }),
    ];
    const frames = (connection) => (number) => {
      const n = connection * FOLLOWS_EACH + number;
      return textFrame({ ...follow, body: bodies[n % bodies.length](n) });
    };
    const call = attacker.httpCaller(WRITERS);
    await Promise.all([
      attacker.crowd(CONNECTIONS, async (connection) => {
        const socket = await attacker.websocket();
        await attacker.flood(socket, frames(connection), { count: FOLLOWS_EACH, window: 16 });
        while (!attacker.isOver && !socket.isClosed) await attacker.pause(STAY_MS);
      }),
      attacker.crowd(WRITERS, async () => {
        const n = Math.floor(Math.random() * DOCUMENTS);
        const body = { tag: `t${n % TAGS}`, n, text: `the quick brown fox ${n}` };
        attacker.count(`write ${await call('PUT', `/rooms/all/w${n}`, { token: jwt, body })}`);
        await attacker.pause(WRITE_EVERY_MS);
      }),
    ]);
  },
};
