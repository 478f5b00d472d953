import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AuthStrategy } from '@millrace/kernel';
import {
  openTestEngine,
  openTestSecurity,
  PASSWORD,
  testStrategy,
  type Sender,
  type TestEngine,
  type TestSecurity,
} from '../openTestSecurity.test.support.js';

let shared: TestEngine;
let security: TestSecurity;
let count = 0;
let ada: Sender;

/** Logs in any user named, and stores no password. */
const trusting: AuthStrategy = {
  name: 'trusting',
  verify: ({ userId }) => (typeof userId === 'string' ? { userId } : null),
  credentials: { prepare: ({ key }) => ({ key: typeof key === 'string' ? key : '' }) },
};

beforeAll(async () => {
  shared = await openTestEngine();
});
afterAll(() => shared.close());
beforeEach(async () => {
  const index = `%recent${++count}`;
  const strategies = [testStrategy, trusting];
  security = await openTestSecurity({ engine: shared.engine, index, strategies });
  const admin = { jwt: await security.admin() };
  const body = { controllers: { auth: { actions: { '*': true } } } };
  await security.result('security.createRole', { _id: 'self', body }, admin);
  await security.result('security.createProfile', { _id: 'self', body: { policies: [{ roleId: 'self' }] } }, admin);
  await security.result(
    'security.createUser',
    { _id: 'ada', body: { profileIds: ['self'], password: PASSWORD } },
    admin,
  );
  ada = { jwt: await security.login('ada') };
});
afterEach(() => security.close());

const NEW = 'another-Password-8';
const NEEDED = '403 auth.recent_login_needed';

describe('changing credentials (SEC-46)', () => {
  it('needs no current password for 5 minutes after the login', async () => {
    security.time.nowMs += 300_000;
    await security.result('auth.updateSelf', { body: { password: NEW } }, ada);
    await security.login('ada', NEW);
  });

  it('needs the current password with an older token, for each way to change them', async () => {
    security.time.nowMs += 301_000;
    const strategy = 'local';
    expect(await security.refusal('auth.updateSelf', { body: { password: NEW } }, ada)).toBe(NEEDED);
    expect(await security.refusal('auth.updateMyCredentials', { strategy, body: { password: NEW } }, ada)).toBe(NEEDED);
    expect(await security.refusal('auth.deleteMyCredentials', { strategy }, ada)).toBe(NEEDED);
    expect(await security.refusal('auth.createMyCredentials', { strategy: 'trusting', body: { key: 'k' } }, ada)).toBe(
      NEEDED,
    );
    const confirmed = { key: 'k', currentPassword: PASSWORD };
    await security.result('auth.createMyCredentials', { strategy: 'trusting', body: confirmed }, ada);
    const changed = await security.result(
      'auth.updateSelf',
      { body: { password: NEW, currentPassword: PASSWORD } },
      ada,
    );
    expect(JSON.stringify(changed)).not.toContain('currentPassword');
    await security.login('ada', NEW);
  });

  it('is not helped by a refreshed token', async () => {
    security.time.nowMs += 301_000;
    const { jwt } = await security.result('auth.refreshToken', {}, ada);
    const refreshed = { jwt: jwt as string };
    expect(await security.refusal('auth.updateSelf', { body: { password: NEW } }, refreshed)).toBe(NEEDED);
    await security.result('auth.updateSelf', { body: { nickname: 'a' } }, refreshed);
  });

  it('counts wrong current passwords as failed logins, also with a fresh token', async () => {
    const guess = { body: { password: NEW, currentPassword: 'wrong' } };
    for (let i = 0; i < 10; i++) {
      expect(await security.refusal('auth.updateSelf', guess, ada)).toBe('403 auth.wrong_current_password');
    }
    const right = { body: { password: NEW, currentPassword: PASSWORD } };
    expect(await security.refusal('auth.updateSelf', right, ada)).toBe('429 auth.too_many_attempts');
    expect(await security.refusal('auth.login', { body: { username: 'ada', password: PASSWORD } })).toBe(
      '429 auth.too_many_attempts',
    );
  });

  it('needs a new login of users without a password', async () => {
    await security.result('auth.deleteMyCredentials', { strategy: 'local' }, ada);
    const login = { body: { strategy: 'trusting', userId: 'ada' } };
    const first = { jwt: (await security.result('auth.login', login))['jwt'] as string };
    security.time.nowMs += 301_000;
    const given = { strategy: 'local', body: { password: NEW, currentPassword: PASSWORD } };
    expect(await security.refusal('auth.createMyCredentials', given, first)).toBe(NEEDED);
    const again = { jwt: (await security.result('auth.login', login))['jwt'] as string };
    await security.result('auth.createMyCredentials', { strategy: 'local', body: { password: NEW } }, again);
  });

  it.each([[5], [null], [['x']], [{ a: 1 }]])('refuses a current password that is %j', async (value) => {
    const body = { password: NEW, currentPassword: value };
    const { status, error } = await security.send('auth.updateSelf', { body }, ada);
    expect([status, error?.message]).toEqual([400, expect.stringContaining('"currentPassword"')]);
  });

  it('never keeps a current password as a property of a user', async () => {
    const jwt = await security.login('root');
    const body = { profileIds: ['self'], password: PASSWORD, currentPassword: PASSWORD };
    expect(await security.refusal('security.createUser', { _id: 'bob', body }, { jwt })).toBe(
      '400 security.invalid_user',
    );
  });
});

describe('the age of a session (SEC-54)', () => {
  const DAY_MS = 86_400_000;
  const expiryOf = (jwt: unknown) => {
    const payload = Buffer.from(String(jwt).split('.')[1] ?? '', 'base64url').toString();
    return JSON.parse(payload) as { exp: number; iat: number };
  };

  it('bounds its renewal at 30 days after the login, and every token of it', async () => {
    const begunAt = expiryOf(ada.jwt).iat;
    let jwt = ada.jwt;
    const refresh = { body: { expiresIn: '20 days' } };
    for (let day = 0; day < 3; day++) {
      security.time.nowMs += day === 0 ? 0 : 10 * DAY_MS - 1_000;
      jwt = (await security.result('auth.refreshToken', refresh, { jwt: jwt ?? '' }))['jwt'] as string;
      expect(expiryOf(jwt).exp).toBeLessThanOrEqual(begunAt + 30 * 86_400);
    }
    expect(expiryOf(jwt).exp).toBe(begunAt + 30 * 86_400);
    security.time.nowMs += 10 * DAY_MS + 2_000;
    expect((await security.send('auth.getCurrentUser', {}, { jwt: jwt ?? '' })).error?.id).toBe('auth.token_expired');
  });

  it('ends the renewal of sessions that are older than a lowered limit', async () => {
    const config = { jwt: { maxSessionAge: '1h' } };
    const index = `%recent${count}`;
    const { time } = security;
    const stricter = await openTestSecurity({ engine: shared.engine, index, config, time });
    const { jwt } = await security.result('auth.refreshToken', { body: { expiresIn: '3h' } }, ada);
    const old = { jwt: jwt as string };
    time.nowMs += 3_599_000;
    const renewed = await stricter.result('auth.refreshToken', {}, old);
    expect(renewed['expiresAt']).toBe(time.nowMs + 1_000);
    time.nowMs += 1_000;
    const other = { jwt: await stricter.login('ada') };
    expect((await stricter.send('auth.getCurrentUser', {}, other)).status).toBe(200);
    await stricter.close();
  });

  it('is refused with 401 and what to do', async () => {
    const login = { body: { username: 'ada', password: PASSWORD, expiresIn: '2h' } };
    const old = { jwt: (await security.result('auth.login', login))['jwt'] as string };
    security.time.nowMs += 3_600_000;
    const config = { jwt: { maxSessionAge: '1h' } };
    const index = `%recent${count}`;
    const stricter = await openTestSecurity({
      engine: shared.engine,
      index,
      config,
      time: security.time,
    });
    const { status, error } = await stricter.send('auth.refreshToken', {}, old);
    expect([status, error?.id, error?.message]).toEqual([
      401,
      'auth.session_too_old',
      expect.stringContaining('more than 1h ago'),
    ]);
    expect((await stricter.send('auth.getCurrentUser', {}, old)).status).toBe(200);
    await stricter.close();
  });
});
