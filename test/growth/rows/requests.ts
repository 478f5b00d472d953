import { addressOf, crowd, type Row } from '../Row.js';

const WIDTH = 50;

/** What is kept by the address or key of requests. */
export const requestRows: readonly Row[] = [
  {
    name: 'kept answers of refused requests, of an address each',
    // An entry and its answer count more; see `idempotency.maxBytes`.
    counted: { bytesEach: 512 },
    maxCount: 2 ** 28 / 512,
    open: async (server, count) => {
      await server.expect('PUT', '/roles/anonymous', {
        body: { controllers: { '*': { actions: { '*': true } } } },
      });
      return crowd(count, WIDTH, async (n) => {
        const headers = { 'idempotency-key': `one-of-many-keys-${n}-${Math.random()}` };
        const address = addressOf(n);
        const path = '/city/stations/none';
        const { status } = await server.http('PUT', path, {
          jwt: null,
          address,
          headers: { ...headers, 'if-match': '"7"' },
          body: {},
        });
        return status === 429 || status === 503 ? String(status) : undefined;
      });
    },
  },
  {
    name: 'anonymous addresses with a rate limit',
    config: { limits: { anonymous: { perSecond: 1, burst: 200 } } },
    counted: { bytesEach: 512 },
    maxCount: 100_000,
    open: (server, count) =>
      crowd(count, WIDTH, async (n) => {
        await server.http('GET', '/_now', { jwt: null, address: addressOf(n) });
        return undefined;
      }),
  },
  {
    name: 'addresses whose requests are refused, in the budget of the log',
    counted: { bytesEach: 512 },
    maxCount: 10_000,
    open: (server, count) =>
      crowd(count, WIDTH, async (n) => {
        await server.http('GET', '/users/root', { jwt: null, address: addressOf(n) });
        return undefined;
      }),
  },
];
