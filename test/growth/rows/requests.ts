import { addressOf, crowd, type Row } from '../Row.js';

const WIDTH = 50;

/** What is kept by the address or key of requests. */
export const requestRows: readonly Row[] = [
  {
    name: 'idempotency keys of refused requests, of an address each',
    // Nothing of them is kept.
    counted: { bytesInAll: 0 },
    knownGap: 'some 160 bytes of each address stay; AnswerShares has no entry of them',
    open: async (server, count) => {
      await server.expect('PUT', '/roles/anonymous', {
        body: { controllers: { '*': { actions: { '*': true } } } },
      });
      // An entry is small.
      return crowd(count * 2, WIDTH, async (n) => {
        const headers = { 'idempotency-key': `one-of-many-keys-${n}-${Math.random()}` };
        const address = addressOf(n);
        // A failed precondition is not kept: its bytes are given back.
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
