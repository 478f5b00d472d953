import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, StorageEngine } from '@millrace/kernel';
import {
  openTestEngine,
  openTestSecurity,
  PASSWORD,
  probe,
  type TestEngine,
  type TestSecurity,
  type TestSecurityOptions,
} from '../openTestSecurity.test.support.js';
import { ApiKeyUses } from './ApiKeyUses.js';
import { formatApiKey, newApiKeyId, newApiKeySecret, parseApiKey } from './parseApiKey.js';

const DAY_MS = 86_400_000;
const EVERYTHING = { controllers: { '*': { actions: { '*': true } } } };

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

async function open(options: TestSecurityOptions = {}): Promise<TestSecurity & { jwt: string }> {
  const index = `%keys${++count}`;
  const actions = [probe('garden.read'), probe('garden.write')];
  const security = await openTestSecurity({ engine: shared.engine, index, actions, ...options });
  opened.push(security);
  const root = await security.admin();
  const asRoot = (name: string, _id: string, body: JsonObject) =>
    security.result(`security.${name}`, { _id, body }, { jwt: root });
  await asRoot('createRole', 'all', EVERYTHING);
  await asRoot('createRole', 'reader', { controllers: { garden: { actions: { read: true } } } });
  await asRoot('createRole', 'gardener', {
    controllers: { garden: { actions: { '*': true } }, auth: { actions: { '*': true } } },
  });
  await asRoot('createProfile', 'gardeners', { policies: [{ roleId: 'gardener' }] });
  await asRoot('createUser', 'ada', { profileIds: ['gardeners'], password: PASSWORD });
  return Object.assign(security, { jwt: await security.login('ada') });
}

type Opened = Awaited<ReturnType<typeof open>>;
interface Created {
  readonly _id: string;
  readonly key: string;
  readonly name: string;
  readonly expiresAt: number | null;
}

const create = async ({ result, jwt }: Opened, body: JsonObject = {}) =>
  (await result('auth.createApiKey', { body: { name: 'ci', ...body } }, { jwt })) as unknown as Created;
const statusOf = async ({ send }: Opened, jwt: string, name = 'garden.read', address = '192.0.2.1') =>
  (await send(name, {}, { jwt, address })).status;
const stateOf = async ({ result }: Opened, token: string) => result('auth.checkToken', { body: { token } });

/** An engine that counts the reads of one document. */
function counting(engine: StorageEngine): { engine: StorageEngine; readCount: () => number } {
  let reads = 0;
  const counted = new Proxy(engine, {
    get(target, name) {
      if (name === 'read' || name === 'readMany' || name === 'search') reads++;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  return { engine: counted, readCount: () => reads };
}

describe('API keys: creation (KEY-1, KEY-2, KEY-3)', () => {
  it('shows the key once, keeps a hash of it, and lists the key without it', async () => {
    const security = await open();
    const { nowMs } = security.time;
    const made = await create(security, { policies: [{ roleId: 'reader' }] });
    expect(made).toEqual({
      _id: expect.stringMatching(/^[0-9A-Za-z]{8}$/) as string,
      key: expect.stringContaining(`mr_${made._id}_`) as string,
      name: 'ci',
      expiresAt: nowMs + 90 * DAY_MS,
    });
    const listed = await security.result('auth.searchApiKeys', {}, { jwt: security.jwt });
    const policies = [{ _id: 'reader', roleId: 'reader' }];
    const hit = { _id: made._id, name: 'ci', policies, expiresAt: made.expiresAt };
    expect(listed).toEqual({ hits: [{ ...hit, lastUsedAt: null, createdAt: nowMs }], total: 1 });
    const name = { index: `%keys${count}`, collection: 'api-keys' };
    const stored = JSON.stringify(await shared.engine.read(name, made._id));
    expect(stored).toContain('reader');
    expect(stored).not.toContain(parseApiKey(made.key)?.secret);
  });

  it('takes expiresAt up to security.apiKeys.maxTTL; null needs a separate right', async () => {
    const security = await open();
    const { nowMs } = security.time;
    expect(await create(security, { expiresAt: nowMs + 1_000 })).toMatchObject({ expiresAt: nowMs + 1_000 });
    const refusal = (expiresAt: number | null) =>
      security.refusal('auth.createApiKey', { body: { name: 'x', expiresAt } }, security);
    expect(await refusal(nowMs)).toBe('400 security.invalid_api_key');
    expect(await refusal(nowMs + 400 * DAY_MS)).toBe('400 security.invalid_api_key');
    expect(await refusal(null)).toBe('403 security.forbidden');
    const jwt = await security.login('root');
    const controllers = { security: { actions: { createPermanentApiKey: true } } };
    const role = await security.result('security.updateRole', { _id: 'gardener', body: { controllers } }, { jwt });
    expect(role['warnings']).toBeUndefined();
    const made = await create(security, { expiresAt: null });
    expect(made.expiresAt).toBeNull();
    security.time.nowMs += 1_000 * DAY_MS;
    expect(await statusOf(security, made.key)).toBe(200);
    expect(await stateOf(security, made.key)).toEqual({ valid: true, expiresAt: null });
  });

  it('refuses unknown roles, unknown users, and more keys than security.apiKeys.maxPerUser', async () => {
    const security = await open({ config: { apiKeys: { maxPerUser: 2 } } });
    const { jwt, time } = security;
    const refusal = (body: JsonObject) => security.refusal('auth.createApiKey', { body }, { jwt });
    expect(await refusal({ name: 'a', policies: [{ roleId: 'nope' }] })).toBe('400 security.invalid_profile');
    expect(await refusal({ name: '' })).toBe('400 security.invalid_api_key');
    await create(security, { expiresAt: time.nowMs + 1_000 });
    const kept = await create(security);
    expect(await refusal({ name: 'third' })).toBe('412 security.too_many_api_keys');
    time.nowMs += 1_000;
    // The expired one makes room.
    await create(security);
    expect(await statusOf(security, kept.key)).toBe(200);
    const root = await security.login('root');
    const asked = { _id: 'nobody', body: { name: 'x' } };
    expect(await security.refusal('security.createApiKey', asked, { jwt: root })).toBe('404 security.user_not_found');
    expect(await security.refusal('auth.createApiKey', { body: { name: 'x' } })).toBe('401 auth.login_needed');
  });

  it('needs the current password, or a login of the last 5 minutes', async () => {
    const security = await open();
    const { jwt } = security;
    const made = await create(security);
    security.time.nowMs += 301_000;
    const body = { name: 'late' };
    expect(await security.refusal('auth.createApiKey', { body }, { jwt })).toBe('403 auth.recent_login_needed');
    const rotation = { keyId: made._id };
    expect(await security.refusal('auth.rotateApiKey', rotation, { jwt })).toBe('403 auth.recent_login_needed');
    const confirmed = { ...body, currentPassword: PASSWORD };
    await security.result('auth.createApiKey', { body: confirmed }, { jwt });
    await security.result('auth.rotateApiKey', { ...rotation, body: { currentPassword: PASSWORD } }, { jwt });
    await security.result('auth.deleteApiKey', rotation, { jwt });
  });
});

describe('API keys: use', () => {
  it('have the rights of their owner, within their policies (KEY-5)', async () => {
    const security = await open();
    const whole = await create(security);
    const reader = await create(security, { policies: [{ roleId: 'reader' }] });
    const all = await create(security, { policies: [{ roleId: 'all' }] });
    const statuses = async ({ key }: Created) => [
      await statusOf(security, key, 'garden.read'),
      await statusOf(security, key, 'garden.write'),
      await statusOf(security, key, 'security.searchUsers'),
    ];
    expect(await statuses(whole)).toEqual([200, 200, 403]);
    expect(await statuses(reader)).toEqual([200, 403, 403]);
    expect(await statuses(all)).toEqual([200, 200, 403]);
    const root = await security.login('root');
    // What the owner loses, the key loses.
    const controllers = { garden: { actions: { '*': false, write: true } } };
    await security.result('security.updateRole', { _id: 'gardener', body: { controllers } }, { jwt: root });
    expect(await statuses(all)).toEqual([403, 200, 403]);
    expect(await statuses(reader)).toEqual([403, 403, 403]);
  });

  it('of an administrator with policies are no administrator (KEY-5)', async () => {
    const security = await open();
    const root = await security.login('root');
    const make = async (policies: JsonObject[] | null) =>
      (await security.result('security.createApiKey', { _id: 'root', body: { name: 'x', policies } }, { jwt: root }))[
        'key'
      ] as string;
    const limited = await make([{ roleId: 'reader' }]);
    expect(await statusOf(security, limited, 'security.getUserMapping')).toBe(403);
    expect(await statusOf(security, await make(null), 'security.getUserMapping')).toBe(200);
  });

  it('list the rights that they have (KEY-5)', async () => {
    const security = await open();
    const role = {
      controllers: {
        garden: { actions: { read: true } },
        auth: { actions: { getMyRights: true } },
        server: { actions: { now: true } },
      },
    };
    const root = await security.login('root');
    await security.result('security.createRole', { _id: 'lister', body: role }, { jwt: root });
    const { key } = await create(security, { policies: [{ roleId: 'lister' }] });
    const { hits } = await security.result('auth.getMyRights', {}, { jwt: key });
    const shown = (hits as Record<string, string>[]).map(
      ({ controller, action, value }) => `${controller}.${action} ${value}`,
    );
    expect(shown).toEqual([
      'auth.* denied',
      'auth.getMyRights allowed',
      'garden.* denied',
      'garden.read allowed',
      'server.now denied',
    ]);
  });

  it('are refused for what would outlive or widen them (KEY-4)', async () => {
    const security = await open();
    const root = await security.login('root');
    const body = { name: 'x', policies: null };
    const { key } = (await security.result(
      'security.createApiKey',
      { _id: 'root', body },
      { jwt: root },
    )) as unknown as Created;
    const refused = [
      'auth.createApiKey', 'auth.rotateApiKey', 'auth.deleteApiKey', 'auth.refreshToken', 'auth.updateSelf',
      'auth.createMyCredentials', 'auth.updateMyCredentials', 'auth.deleteMyCredentials', 'security.createApiKey',
      'security.rotateApiKey', 'security.deleteApiKey',
    ]; // prettier-ignore
    const fields = { _id: 'ada', keyId: 'aaaaaaaa', strategy: 'local', body };
    for (const name of refused) {
      expect([name, await security.refusal(name, fields, { jwt: key })]).toEqual([
        name,
        '403 security.api_key_not_accepted',
      ]);
    }
    const password = 'another-Password-8';
    const change = (name: string, more: JsonObject) =>
      security.send(`security.${name}`, { _id: 'ada', body: more }, { jwt: key });
    expect((await change('updateUser', { password })).error?.id).toBe('security.api_key_not_accepted');
    const replaced = { profileIds: ['gardeners'], password };
    expect((await change('createOrReplaceUser', replaced)).error?.id).toBe('security.api_key_not_accepted');
    expect((await change('updateUser', { city: 'Nantes' })).status).toBe(200);
    await security.login('ada');
    // A logout ends a token; the key stays.
    expect((await security.send('auth.logout', {}, { jwt: key })).status).toBe(200);
    expect(await statusOf(security, key)).toBe(200);
  });

  it('give no user a login, and nothing beyond their own rights (KEY-10)', async () => {
    const security = await open();
    const root = await security.login('root');
    const asRoot = (name: string, _id: string, body: JsonObject) =>
      security.result(`security.${name}`, { _id, body }, { jwt: root });
    await asRoot('createProfile', 'readers', { policies: [{ roleId: 'reader' }] });
    const restrictedTo = [{ index: 'a', collections: ['b', 'c'] }];
    await asRoot('createProfile', 'restricted', { policies: [{ roleId: 'all', restrictedTo }] });
    await asRoot('createUser', 'eve', { profileIds: ['readers'], password: PASSWORD });
    const keyOf = async (policies: JsonObject[] | null) =>
      (await asRoot('createApiKey', 'root', { name: 'x', policies })) as unknown as Created;
    const full = (await keyOf(null)).key;
    const limited = (await keyOf([{ roleId: 'reader' }, { roleId: 'all', restrictedTo }])).key;
    const outcome = async (jwt: string, name: string, _id: string, body: JsonObject) => {
      const { status, error } = await security.send(`security.${name}`, { _id, body }, { jwt });
      return error === null ? String(status) : `${status} ${error.id}`;
    };
    const refused = '403 security.api_key_not_accepted';
    const newUser = { profileIds: ['readers'], password: PASSWORD };
    for (const jwt of [full, limited]) {
      expect(await outcome(jwt, 'createUser', 'new', newUser)).toBe(refused);
      expect(await outcome(jwt, 'createOrReplaceUser', 'new', newUser)).toBe(refused);
    }
    const policy = (roleId: string, more: JsonObject = {}) => ({ policies: [{ roleId, ...more }] });
    const narrower = { restrictedTo: [{ index: 'a', collections: ['c'] }] };
    const wider = { restrictedTo: [{ index: 'a' }] };
    const cases: readonly [string, string, JsonObject, boolean][] = [
      ['updateUser', 'eve', { profileIds: ['readers', 'restricted'] }, true],
      ['updateUser', 'eve', { profileIds: ['gardeners'] }, false],
      ['updateUser', 'eve', { profileIds: ['admin'] }, false],
      ['updateUser', 'ada', { profileIds: ['gardeners', 'readers'], city: 'Nantes' }, true],
      ['createOrReplaceUser', 'eve', { profileIds: ['admin'] }, false],
      ['createProfile', 'p1', policy('reader'), true],
      ['createProfile', 'p2', policy('all', narrower), true],
      ['createProfile', 'p3', policy('all', wider), false],
      ['createOrReplaceProfile', 'readers', policy('all'), false],
      ['updateProfile', 'readers', policy('gardener'), false],
      ['createRole', 'r1', EVERYTHING, false],
      ['updateRole', 'reader', EVERYTHING, false],
      ['createOrReplaceRole', 'reader', EVERYTHING, false],
    ];
    for (const [name, _id, body, isAllowed] of cases) {
      const expected = isAllowed ? '200' : refused;
      expect([name, body, await outcome(limited, name, _id, body)]).toEqual([name, body, expected]);
    }
    expect(await outcome(full, 'updateUser', 'eve', { profileIds: ['admin'] })).toBe('200');
    expect(await outcome(full, 'createRole', 'r1', EVERYTHING)).toBe('200');
  });

  it('are refused from other addresses than allowedAddresses (KEY-6)', async () => {
    const security = await open();
    const allowedAddresses = ['192.0.2.0/28', '2001:db8::/32'];
    const { key } = await create(security, { allowedAddresses });
    for (const address of ['192.0.2.7', '::ffff:192.0.2.7', '2001:db8:1::9']) {
      expect(await statusOf(security, key, 'garden.read', address)).toBe(200);
    }
    for (const address of ['192.0.2.99', '2001:db9::1', '', 'unknown']) {
      const { error } = await security.send('garden.read', {}, { jwt: key, address });
      expect([address, error?.id]).toEqual([address, 'security.api_key_wrong_address']);
    }
    const { hits } = await security.result('auth.searchApiKeys', {}, security);
    expect(hits).toMatchObject([{ allowedAddresses }]);
  });

  it('have lastUsedAt written once a minute at most (KEY-7)', async () => {
    const security = await open();
    const made = await create(security);
    const uses = security.container.resolve(ApiKeyUses);
    const lastUsedAt = async () => {
      await uses.stop();
      const { hits } = await security.result('auth.searchApiKeys', {}, security);
      return (hits as JsonObject[])[0]?.lastUsedAt;
    };
    expect(await lastUsedAt()).toBeNull();
    const first = security.time.nowMs;
    for (const [afterMs, expected] of [[0, first], [59_999, first], [60_000, first + 60_000]] as const) {
      security.time.nowMs = first + afterMs;
      await statusOf(security, made.key);
      expect(await lastUsedAt()).toBe(expected);
    } // prettier-ignore
  });
});

describe('API keys: expiry and revocation (KEY-8)', () => {
  it('end with expiresAt, deletion, and the deletion of the owner, also for a later user of the id', async () => {
    const security = await open();
    const root = await security.login('root');
    const short = await create(security, { expiresAt: security.time.nowMs + 1_000 });
    const [first, second] = [await create(security), await create(security)];
    security.time.nowMs += 1_000;
    expect(await security.refusal('garden.read', {}, { jwt: short.key })).toBe('401 auth.token_expired');
    expect(await stateOf(security, short.key)).toEqual({ valid: false, state: 'expired' });
    expect(await stateOf(security, first.key)).toEqual({ valid: true, expiresAt: first.expiresAt });
    await security.result('auth.deleteApiKey', { keyId: first._id }, security);
    expect(await security.refusal('garden.read', {}, { jwt: first.key })).toBe('401 auth.invalid_token');
    expect(await stateOf(security, first.key)).toEqual({ valid: false, state: 'revoked' });
    expect(await statusOf(security, second.key)).toBe(200);
    const { _source } = await security.result('security.getUser', { _id: 'ada' }, { jwt: root });
    const { suid } = _source as JsonObject;
    await security.result('security.deleteUser', { _id: 'ada' }, { jwt: root });
    expect(await statusOf(security, second.key)).toBe(401);
    const body = { profileIds: ['gardeners'], password: PASSWORD, suid: suid ?? null };
    await security.result('security.createUser', { _id: 'ada', body }, { jwt: root });
    expect(await statusOf(security, second.key)).toBe(401);
    const found = await security.result('security.searchApiKeys', { _id: 'ada' }, { jwt: root });
    expect(found).toEqual({ hits: [], total: 0 });
  });

  it('survive a change of the password, which revokes tokens only', async () => {
    const security = await open();
    const { key } = await create(security);
    const root = await security.login('root');
    const body = { password: 'another-Password-8' };
    await security.result('security.updateUser', { _id: 'ada', body }, { jwt: root });
    expect(await statusOf(security, security.jwt)).toBe(401);
    expect(await statusOf(security, key)).toBe(200);
  });

  it('lose a replaced secret after its grace, and at once with graceMs 0', async () => {
    const security = await open();
    const { jwt, time } = security;
    const old = await create(security);
    const rotate = async (more: JsonObject) =>
      (await security.result('auth.rotateApiKey', { keyId: old._id, ...more }, { jwt })) as unknown as Created;
    time.nowMs += 1_000;
    const renewed = await rotate({ body: { graceMs: 5_000 } });
    expect(renewed).toMatchObject({
      _id: old._id,
      name: 'ci',
      expiresAt: time.nowMs + 90 * DAY_MS,
    });
    const statuses = async () => Promise.all([old, renewed].map(({ key }) => statusOf(security, key)));
    expect(await statuses()).toEqual([200, 200]);
    time.nowMs += 4_999;
    expect(await statuses()).toEqual([200, 200]);
    time.nowMs += 1;
    expect(await statuses()).toEqual([401, 200]);
    const last = await rotate({ graceMs: 0 });
    expect(await statuses()).toEqual([401, 401]);
    expect(await statusOf(security, last.key)).toBe(200);
    const refusal = await security.refusal('auth.rotateApiKey', { keyId: old._id, graceMs: DAY_MS + 1 }, { jwt });
    expect(refusal).toBe('400 security.invalid_api_key');
  });

  it('are deleted and rotated by their owner, and by those with the right in security (KEY-2)', async () => {
    const security = await open();
    const root = await security.login('root');
    const made = await create(security);
    for (const keyId of [made._id, 'aaaaaaaa', 'no id', '__proto__']) {
      const asked = { _id: 'root', keyId };
      expect(await security.refusal('auth.deleteApiKey', asked, { jwt: root })).toBe('404 security.api_key_not_found');
      expect(await security.refusal('security.deleteApiKey', asked, { jwt: root })).toBe(
        '404 security.api_key_not_found',
      );
    }
    const asked = { _id: 'ada', keyId: made._id };
    const rotated = await security.result('security.rotateApiKey', { ...asked, graceMs: 0 }, { jwt: root });
    expect(await statusOf(security, rotated['key'] as string)).toBe(200);
    expect(await statusOf(security, made.key)).toBe(401);
    await security.result('security.deleteApiKey', asked, { jwt: root });
    expect(await statusOf(security, rotated['key'] as string)).toBe(401);
  });
});

describe('API keys: guessing (KEY-9)', () => {
  it('reads nothing for a wrong checksum, and once for an unknown id as for a wrong secret', async () => {
    const { engine, readCount } = counting(shared.engine);
    const security = await open({ engine });
    const made = await create(security);
    expect(await statusOf(security, made.key)).toBe(200);
    await security.container.resolve(ApiKeyUses).stop();
    const readsFor = async (key: string) => {
      const before = readCount();
      const id = (await security.send('garden.read', {}, { jwt: key })).error?.id;
      return [id, readCount() - before];
    };
    const broken = made.key.slice(0, -1) + (made.key.endsWith('a') ? 'b' : 'a');
    for (const key of [broken, 'mr_', `${made.key}x`]) {
      expect(await readsFor(key)).toEqual(['auth.invalid_token', 0]);
    }
    expect(await stateOf(security, broken)).toEqual({ valid: false, state: 'malformed' });
    const startMs = performance.now();
    const secret = newApiKeySecret();
    const wrongSecret = formatApiKey({ id: made._id, secret });
    const wrongId = formatApiKey({ id: newApiKeyId(), secret });
    for (let i = 0; i < 5; i++) {
      expect(await readsFor(wrongSecret)).toEqual(['auth.invalid_token', 1]);
      expect(await readsFor(wrongId)).toEqual(['auth.invalid_token', 1]);
    }
    // Each is refused after 20 ms, less what a timer may fire early.
    expect(performance.now() - startMs).toBeGreaterThan(10 * 18);
    expect(await security.send('garden.read', {}, { jwt: made.key })).toMatchObject({
      status: 200,
    });
  });

  it('counts unknown keys per address like failed logins, and not for keys in use', async () => {
    const security = await open();
    const { key } = await create(security);
    expect(await statusOf(security, key)).toBe(200);
    const guess = () => formatApiKey({ id: newApiKeyId(), secret: newApiKeySecret() });
    for (let i = 0; i < 200; i++) expect(await statusOf(security, guess())).toBe(401);
    const { error } = await security.send('garden.read', {}, { jwt: guess() });
    expect(error).toMatchObject({ id: 'auth.too_many_attempts', status: 429 });
    const check = { body: { token: guess() } };
    expect(await security.refusal('auth.checkToken', check)).toBe('429 auth.too_many_attempts');
    expect(await statusOf(security, guess(), 'garden.read', '192.0.2.99')).toBe(401);
    expect(await statusOf(security, key)).toBe(200);
  });
});
