import { textFrame } from '../RawWebSocket.mjs';

const FOLLOWS = 40;
const TAGS = 10_000;
const DOCUMENTS_EACH = 2;
const BULK_SIZE = 5_000;
const WRITE_EVERY_MS = 50;
const STAY_MS = 500;
const ROLE = {
  controllers: {
    auth: { actions: { '*': true } },
    document: { actions: { search: true, createOrReplace: true } },
    realtime: { actions: { follow: true } },
  },
};

/** 40 followed searches of one user with 10,000 buckets each, all of which change with each of the user's writes. */
export const bucketDeltas = {
  finding: 'S11',
  async prepare(server) {
    await server.call('PUT', '/rooms');
    await server.call('PUT', '/rooms/all', { properties: { tag: { type: 'keyword' }, n: { type: 'integer' } } });
    for (let from = 0; from < TAGS * DOCUMENTS_EACH; from += BULK_SIZE) {
      const lines = Array.from({ length: BULK_SIZE }, (_, i) => [
        { create: {} },
        { tag: `t${(from + i) % TAGS}`, n: i },
      ]);
      await server.call('POST', '/rooms/all/_bulk', { bulkData: lines.flat() });
    }
    return server.account('mallory', ROLE);
  },
  async run(attacker) {
    const { token: jwt } = attacker.prepared;
    const follow = { controller: 'realtime', action: 'follow', index: 'rooms', collection: 'all', jwt };
    const body = (number) => ({
      query: { range: { n: { gte: -1 - number } } },
      size: 0,
      aggs: { a: { terms: { field: 'tag', size: TAGS }, aggs: { mean: { avg: { field: 'n' } } } } },
    });
    const call = attacker.httpCaller(1);
    await Promise.all([
      attacker.crowd(1, async () => {
        const socket = await attacker.websocket();
        const frame = (number) => textFrame({ ...follow, body: body(number) });
        await attacker.flood(socket, frame, { count: FOLLOWS, window: 2 });
        while (!attacker.isOver && !socket.isClosed) await attacker.pause(STAY_MS);
      }),
      attacker.crowd(1, async () => {
        const n = Math.floor(Math.random() * TAGS);
        const written = { tag: `t${n}`, n };
        attacker.count(`write ${await call('PUT', `/rooms/all/w${n}`, { token: jwt, body: written })}`);
        await attacker.pause(WRITE_EVERY_MS);
      }),
    ]);
  },
};
