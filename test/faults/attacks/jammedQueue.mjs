import { textFrame } from '../RawWebSocket.mjs';
import { SLOW_SEARCH, searchableDocuments } from '../searchableDocuments.mjs';

const SEARCHERS = 4;
const SEARCHES_EACH = 100;
const CONNECTIONS = 40;
const MESSAGES_EACH = 1_000;
const JUNK = 'j'.repeat(1_000_000);
// 50 MB per second over all connections: a tenth of a processor where each message is answered at once.
const EVERY_MS = 800;

/** 40 connections send `server.now` with 1 MB of junk while searches wait: what is queued must be bounded in bytes. */
export const jammedQueue = {
  finding: 'H6',
  prepare: searchableDocuments,
  async run(attacker) {
    const { token: jwt } = attacker.prepared;
    const search = textFrame({ ...SLOW_SEARCH, jwt });
    const now = textFrame({ controller: 'server', action: 'now', body: { junk: JUNK } });
    await Promise.all([
      attacker.crowd(SEARCHERS, async () => {
        const socket = await attacker.websocket();
        const count = 100 * SEARCHES_EACH;
        await attacker.flood(socket, () => search, { count, window: SEARCHES_EACH });
      }),
      attacker.crowd(CONNECTIONS, async () => {
        const socket = await attacker.websocket();
        const options = { count: MESSAGES_EACH, window: MESSAGES_EACH, everyMs: EVERY_MS };
        await attacker.flood(socket, () => now, options);
        socket.destroy();
      }),
    ]);
  },
};
