import { textFrame } from '../RawWebSocket.mjs';

const CONNECTIONS = 5;
const CHANNELS_EACH = 990;
const METADATA = 'm'.repeat(1_000_000);
const VALUE = 'v'.repeat(100);
const VALUES = 950;
// 60 MB per second over all connections.
const EVERY_MS = 80;
const ROLE = {
  controllers: {
    auth: { actions: { '*': true } },
    realtime: { actions: { subscribe: true, unsubscribe: true } },
  },
};

/** Subscriptions with 1 MB of metadata, 990 per connection; then as many with filters of 100 KB. */
export const largeSubscriptions = {
  finding: 'H2',
  async prepare(server) {
    await server.call('PUT', '/rooms');
    await server.call('PUT', '/rooms/all');
    return server.account('mallory', ROLE);
  },
  async run(attacker) {
    const { token: jwt } = attacker.prepared;
    const subscribe = { controller: 'realtime', action: 'subscribe', index: 'rooms', collection: 'all', jwt }; // prettier-ignore
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
    let round = 0;
    await attacker.crowd(CONNECTIONS, async () => {
      const socket = await attacker.websocket();
      const make = round++ % (2 * CONNECTIONS) < CONNECTIONS ? heavy : long;
      await attacker.flood(socket, make, { count: CHANNELS_EACH, window: 4, everyMs: EVERY_MS });
      // The first connections stay until the end: what they hold counts.
      if (round <= CONNECTIONS) return;
      await attacker.pause(1_000);
    });
  },
};
