import type { JsonObject } from '@millrace/kernel';
import { addressOf, crowd, refusalOf, type Row } from '../Row.js';

const WIDTH = 50;
let userCount = 0;
const MANY_LOGINS = { login: { maxPerMinute: 1_000_000, burst: 1_000_000 } };

/** Logins, tokens, keys and users. */
export const securityRows: readonly Row[] = [
  {
    name: 'failed logins, of another account and address each',
    counted: { bytesEach: 2_048 },
    // Of each of the tables by account and by address.
    maxCount: 100_000,
    open: (server, count) =>
      crowd(count, WIDTH, async (n) => {
        const body = { username: `${'n'.repeat(100)}${n}`, password: 'wrong' };
        const { status } = await server.http('POST', '/_login/named', {
          jwt: null,
          address: addressOf(n),
          body,
        });
        return status === 401 ? undefined : String(status);
      }),
  },
  {
    name: 'tokens in use',
    config: { security: MANY_LOGINS },
    counted: { bytesEach: 4_096 },
    // security.cache.maxTokens
    maxCount: 10_000,
    open: (server, count) =>
      crowd(count, WIDTH, async () => {
        const jwt = await server.login('root');
        return refusalOf(await server.http('GET', '/_now', { jwt }));
      }),
  },
  {
    name: 'revoked tokens',
    config: { security: MANY_LOGINS },
    counted: { bytesEach: 512 },
    // Of one account: all its tokens end together then.
    maxCount: 100_000,
    open: (server, count) =>
      crowd(count, WIDTH, async () => {
        const jwt = await server.login('root');
        return refusalOf(await server.http('GET', '/_logout', { jwt }));
      }),
  },
  {
    name: 'users in memory, with many properties',
    config: { security: MANY_LOGINS },
    // Of each cache of records.
    counted: { bytesInAll: 64 * 2 ** 20 },
    open: (server, count) =>
      crowd(count / 10, WIDTH, async () => {
        const id = `user-${userCount++}`;
        const password = 'correct-horse-battery-41';
        const body = {
          profileIds: ['default'],
          password,
          parts: Array<JsonObject>(3_000).fill({}),
        };
        await server.expect('POST', `/users/${id}/_create`, { body });
        const jwt = await server.login(id);
        return refusalOf(await server.http('GET', '/_now', { jwt }));
      }),
  },
  {
    name: 'API keys in use',
    config: { security: { apiKeys: { maxPerUser: 20_000 } } },
    counted: { bytesEach: 4_096 },
    // security.cache.maxApiKeys
    maxCount: 10_000,
    open: (server, count) =>
      crowd(count, WIDTH, async (n) => {
        const made = await server.expect('POST', '/api-keys/_create', {
          body: { name: `key ${n} ${Math.random()}` },
        });
        return refusalOf(await server.http('GET', '/_now', { jwt: made['key'] as string }));
      }),
  },
];
