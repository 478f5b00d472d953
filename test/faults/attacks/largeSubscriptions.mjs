import { textFrame } from '../RawWebSocket.mjs';

const HEAVY_CONNECTIONS = 3;
const LONG_CONNECTIONS = 2;
const CHANNELS_EACH = 990;
const METADATA = 'm'.repeat(1_000_000);
const VALUE = 'v'.repeat(100);
const VALUES = 550;
// 60 MB per second over all connections with metadata, 10 MB over those with long filters.
const HEAVY_EVERY_MS = 50;
const LONG_EVERY_MS = 20;
const STAY_MS = 500;
const ROLE = {
  controllers: {
    auth: { actions: { '*': true } },
    document: { actions: { search: true } },
    realtime: { actions: { subscribe: true, unsubscribe: true } },
  },
};

/** Subscriptions on five connections, 990 each: on three with 1 MB of metadata, on two with filters of 60 KB. */
export const largeSubscriptions = {
  finding: 'H2',
  async prepare(server) {
    await server.call('PUT', '/rooms');
    await server.call('PUT', '/rooms/all');
    return server.account('mallory', ROLE);
  },
  async run(attacker) {
    const { token: jwt } = attacker.prepared;
    const subscribe = { controller: 'realtime', action: 'subscribe', index: 'rooms', collection: 'all', jwt };
    const heavy = (number) =>
      textFrame({
        ...subscribe,
        body: { equals: { n: number } },
        metadata: { m: METADATA },
      });
    const long = (number) => {
      const values = Array.from({ length: VALUES }, (_, n) => `${number}-${n}-${VALUE}`);
      return textFrame({ ...subscribe, body: { in: { n: values } } });
    };
    const hold = (make, everyMs) => async () => {
      const socket = await attacker.websocket();
      await attacker.flood(socket, make, { count: CHANNELS_EACH, window: 4, everyMs });
      // What is kept for a connection counts as long as it is open.
      while (!attacker.isOver && !socket.isClosed) await attacker.pause(STAY_MS);
    };
    await Promise.all([
      attacker.crowd(HEAVY_CONNECTIONS, hold(heavy, HEAVY_EVERY_MS)),
      attacker.crowd(LONG_CONNECTIONS, hold(long, LONG_EVERY_MS)),
    ]);
  },
};
