import { textFrame } from '../RawWebSocket.mjs';

const CONNECTIONS = 8;
const SUBSCRIPTIONS_EACH = 990;
const FIELDS = 480;
const STAY_MS = 500;
const ROLE = {
  controllers: {
    auth: { actions: { '*': true } },
    realtime: { actions: { subscribe: true } },
  },
};

/** 7,920 subscriptions by query, each over all of 480 text fields. */
export const wideQueries = {
  finding: 'S6',
  async prepare(server) {
    await server.call('PUT', '/wide');
    const fields = Array.from({ length: FIELDS }, (_, n) => [`text${n}`, { type: 'text' }]);
    await server.call('PUT', '/wide/all', { properties: Object.fromEntries(fields) });
    return server.account('mallory', ROLE);
  },
  async run(attacker) {
    const { token: jwt } = attacker.prepared;
    const fields = { controller: 'realtime', action: 'subscribe', index: 'wide', collection: 'all', jwt };
    await attacker.crowd(CONNECTIONS, async (connection) => {
      const socket = await attacker.websocket();
      const frame = (number) =>
        textFrame({
          ...fields,
          query: { multi_match: { query: `word${connection}x${number}`, fields: ['*'] } },
        });
      await attacker.flood(socket, frame, { count: SUBSCRIPTIONS_EACH, window: 4 });
      while (!attacker.isOver && !socket.isClosed) await attacker.pause(STAY_MS);
    });
  },
};
