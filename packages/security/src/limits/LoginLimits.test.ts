import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LoginLimits } from './LoginLimits.js';
import {
  openTestEngine,
  openTestSecurity,
  PASSWORD,
  type SecurityOverrides,
  type TestEngine,
  type TestSecurity,
} from '../openTestSecurity.test.support.js';

let shared: TestEngine;
let count = 0;
const opened: TestSecurity[] = [];

beforeAll(async () => {
  shared = await openTestEngine();
});
afterAll(() => shared.close());
afterEach(async () => {
  for (const security of opened.splice(0)) await security.close();
});

/** A locked server with a user `ada` of profile default, and her token. */
async function open(config: SecurityOverrides = { login: { maxPerMinute: 60, burst: 5 } }) {
  const index = `%limits${++count}`;
  const security = await openTestSecurity({ engine: shared.engine, index, config });
  opened.push(security);
  const admin = { jwt: await security.admin() };
  const role = {
    _id: 'self',
    body: { controllers: { auth: { actions: { '*': true } }, security: { actions: { createRestrictedUser: true } } } },
  };
  await security.result('security.createRole', role, admin);
  await security.result('security.createProfile', { _id: 'self', body: { policies: [{ roleId: 'self' }] } }, admin);
  const ada = { _id: 'ada', body: { profileIds: ['self'], password: PASSWORD } };
  await security.result('security.createUser', ada, admin);
  const jwt = await security.login('ada');
  security.time.nowMs += 60_000;
  return { security, admin, ada: { jwt } };
}

const login = (username: string, password = PASSWORD) => ({ body: { username, password } });

describe('the cost of right passwords', () => {
  it('is limited for each account, however long its name (SEC-62)', async () => {
    const { security } = await open({ login: { maxPerMinute: 60, burst: 1 } });
    const limits = security.container.resolve(LoginLimits);
    const [first, second] = ['a', 'b'].map((end) => 'x'.repeat(100_000) + end);
    for (const account of [first, second]) limits.takeHash('192.0.2.1', account ?? '');
    expect(() => limits.takeHash('192.0.2.1', first ?? '')).toThrow(/Too many/);
  });

  it('is limited per account and address: 429 with Retry-After, and again a token later', async () => {
    const { security } = await open();
    for (let i = 0; i < 5; i++) await security.result('auth.login', login('ada'));
    const { status, error } = await security.send('auth.login', login('ada'));
    expect([status, error?.id]).toEqual([429, 'auth.too_many_logins']);
    await security.result('auth.login', login('ada'), { address: '192.0.2.99' });
    await security.login('root');
    security.time.nowMs += 1_000;
    await security.result('auth.login', login('ada'));
    expect(await security.refusal('auth.login', login('ada'))).toBe('429 auth.too_many_logins');
  });

  it('counts also hashes without a login: own password, own credentials, current password, users made with a token', async () => {
    const { security, ada } = await open({ login: { maxPerMinute: 60, burst: 1 } });
    const jwt = await security.login('ada');
    const calls = [
      ['auth.updateSelf', { body: { password: 'another-Password-8' } }],
      ['auth.updateMyCredentials', { strategy: 'local', body: { password: 'another-Password-8' } }],
      ['auth.deleteMyCredentials', { strategy: 'local', body: { currentPassword: PASSWORD } }],
      ['security.createRestrictedUser', { _id: 'new', body: { password: PASSWORD } }],
    ] as const;
    for (const [name, fields] of calls) {
      expect([name, await security.refusal(name, fields, { jwt })]).toEqual([name, '429 auth.too_many_logins']);
    }
    await security.result('auth.updateSelf', { body: { nickname: 'a' } }, ada);
  });

  it('does not limit administrators who create users, nor a server without one', async () => {
    const index = `%limits${++count}`;
    const config = { login: { maxPerMinute: 1, burst: 1 } };
    const security = await openTestSecurity({ engine: shared.engine, index, config });
    opened.push(security);
    const create = (i: number, sender = {}) =>
      security.result(
        'security.createUser',
        { _id: `u${i}`, body: { profileIds: ['default'], password: PASSWORD } },
        sender,
      );
    for (let i = 0; i < 3; i++) await create(i);
    const admin = { jwt: await security.admin() };
    for (let i = 3; i < 6; i++) await create(i, admin);
  });
});

describe('setup tokens', () => {
  const setupToken = 'a-setup-token-of-the-operator';
  const attempt = (given: string) => ({
    _id: 'root',
    body: { password: PASSWORD, setupToken: given },
  });

  it('can be guessed 10 times in 15 minutes from an address', async () => {
    const index = `%limits${++count}`;
    const config = { openUntilFirstAdmin: false, setupToken };
    const security = await openTestSecurity({ engine: shared.engine, index, config });
    opened.push(security);
    const create = (given: string, address = '192.0.2.1') =>
      security.refusal('security.createFirstAdmin', attempt(given), { address });
    for (let i = 0; i < 10; i++) expect(await create(`${i}`)).toBe('401 auth.wrong_setup_token');
    expect(await create(setupToken)).toBe('429 auth.too_many_setup_attempts');
    expect(await create('x', '192.0.2.2')).toBe('401 auth.wrong_setup_token');
    security.time.nowMs += 900_000;
    await security.result('security.createFirstAdmin', attempt(setupToken));
  });
});
