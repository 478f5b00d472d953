import { textFrame } from '../RawWebSocket.mjs';
import { SLOW_SEARCH, searchableDocuments } from '../searchableDocuments.mjs';

const CONNECTIONS = 4;
const SEARCHES_EACH = 100;
const STAY_MS = 1_000;

/** 400 searches over four WebSockets that are closed after a second, again and again. */
export const abandonedSearches = {
  finding: 'H1',
  prepare: searchableDocuments,
  async run(attacker) {
    const { token: jwt } = attacker.prepared;
    const search = textFrame({ ...SLOW_SEARCH, jwt });
    await attacker.crowd(CONNECTIONS, async () => {
      const socket = await attacker.websocket();
      await attacker.flood(socket, () => search, { count: SEARCHES_EACH, window: SEARCHES_EACH });
      await attacker.pause(STAY_MS);
      socket.destroy();
      await attacker.pause(STAY_MS);
    });
  },
};
