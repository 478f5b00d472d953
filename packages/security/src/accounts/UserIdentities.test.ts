import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { AuthStrategy, JsonObject } from '@millrace/kernel';
import { parseCount } from '@millrace/query';
import {
  openTestEngine,
  openTestSecurity,
  PASSWORD,
  testStrategy,
  type TestEngine,
  type TestSecurity,
  type TestSecurityOptions,
} from '../openTestSecurity.test.support.js';

let shared: TestEngine;
let count = 0;
const opened: TestSecurity[] = [];

/** A strategy that accepts any identity. */
function trusting(name: string): AuthStrategy {
  return {
    name,
    verify: async ({ identity, create, profileIds, content }, { identities }) => {
      const key = identity as string;
      if (create === undefined) {
        const userId = await identities.find(key);
        return userId === null ? null : { userId };
      }
      const user = {
        profileIds: (profileIds as readonly string[] | undefined) ?? ['default'],
        content: (content as JsonObject | undefined) ?? {},
      };
      return { userId: await identities.findOrCreate(key, user) };
    },
  };
}

beforeAll(async () => {
  shared = await openTestEngine();
});
afterAll(() => shared.close());
afterEach(async () => {
  for (const security of opened.splice(0)) await security.close();
});

async function open(options: TestSecurityOptions = {}) {
  const security = await openTestSecurity({
    engine: shared.engine,
    index: `%identities${++count}`,
    strategies: [testStrategy, trusting('one'), trusting('two')],
    ...options,
  });
  opened.push(security);
  const admin = await security.admin();
  const ask = (strategy: string, identity: string, more: JsonObject = {}) =>
    security.send('auth.login', { body: { strategy, identity, ...more } });
  const idOf = async (strategy: string, identity: string, more: JsonObject = { create: true }) => {
    const { result, error } = await ask(strategy, identity, more);
    expect(error).toBeNull();
    return (result as { _id: string })._id;
  };
  return { security, admin, ask, idOf };
}

describe('identities of users', () => {
  it('finds no user before the first login, and the same user ever after', async () => {
    const { ask, idOf } = await open();
    expect((await ask('one', 'x')).error).toMatchObject({ id: 'auth.wrong_credentials' });
    const id = await idOf('one', 'x');
    expect(await idOf('one', 'x')).toBe(id);
    expect(await idOf('one', 'x', {})).toBe(id);
  });

  it('keeps identities and strategies apart', async () => {
    const { ask, idOf } = await open();
    const ids = [await idOf('one', 'x'), await idOf('two', 'x'), await idOf('one', 'X')];
    expect(new Set(ids).size).toBe(3);
    expect((await ask('two', 'X')).status).toBe(401);
  });

  it('makes one user of many first logins at once', async () => {
    const { security, idOf } = await open();
    const before = await security.result('security.searchUsers', {}, { jwt: await security.login('root') });
    const ids = await Promise.all(Array.from({ length: 20 }, () => idOf('one', 'x')));
    expect(new Set(ids).size).toBe(1);
    const after = await security.result('security.searchUsers', {}, { jwt: await security.login('root') });
    expect(after['total']).toBe((before['total'] as number) + 1);
  });

  it('makes one user of first logins on two nodes at once', async () => {
    const index = `%identities${++count}`;
    const [here, there] = [
      await open({ index }),
      await openTestSecurity({ engine: shared.engine, index, strategies: [testStrategy, trusting('one')] }),
    ];
    opened.push(there);
    const body = { strategy: 'one', identity: 'x', create: true };
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? here.security : there).result('auth.login', { body })),
    );
    expect(new Set(answers.map(({ _id }) => _id)).size).toBe(1);
  });

  it('needs no password, gives the properties, and the user can not log in by password', async () => {
    const { security, admin, idOf } = await open();
    const _id = await idOf('one', 'x', { create: true, content: { name: 'Ada', address: {} } });
    const { _source } = await security.result('security.getUser', { _id }, { jwt: admin });
    expect(_source).toMatchObject({ name: 'Ada', profileIds: ['default'], address: {} });
    expect(JSON.stringify(_source)).not.toContain('"x"');
    const asked = { body: { username: _id, password: PASSWORD } };
    expect(await security.refusal('auth.login', asked)).toBe('401 auth.wrong_credentials');
  });

  it.each([
    ['a profile that does not exist', { profileIds: ['none'] }],
    ['profiles among the properties', { content: { profileIds: ['admin'] } }],
    ['a suid among the properties', { content: { suid: 'mine' } }],
    ['a password', { content: { password: PASSWORD } }],
    ['a reserved property', { content: { _id: 'root' } }],
  ])('refuses %s, and then makes a user of the same identity', async (_, more) => {
    const { ask, idOf } = await open();
    const { error } = await ask('one', 'x', { create: true, ...more });
    expect(error).toMatchObject({ id: 'security.invalid_user', status: 400 });
    expect((await ask('one', 'x')).status).toBe(401);
    await idOf('one', 'x');
  });

  it('ends with its user: a later login makes another one, who inherits no token', async () => {
    const { security, admin, ask, idOf } = await open();
    const first = await ask('one', 'x', { create: true });
    const { _id, jwt } = first.result as { _id: string; jwt: string };
    await security.result('security.deleteUser', { _id }, { jwt: admin });
    expect((await ask('one', 'x')).status).toBe(401);
    expect(await idOf('one', 'x')).not.toBe(_id);
    const { valid } = await security.result('auth.checkToken', { body: { token: jwt } });
    expect(valid).toBe(false);
  });

  it('never leads to another user who has taken the _id of the one deleted', async () => {
    const { security, admin, ask, idOf } = await open();
    const _id = await idOf('one', 'x');
    await security.result('security.deleteUser', { _id }, { jwt: admin });
    const body = { profileIds: ['admin'], password: PASSWORD };
    await security.result('security.createUser', { _id, body }, { jwt: admin });
    expect((await ask('one', 'x')).status).toBe(401);
    expect(await idOf('one', 'x')).not.toBe(_id);
  });

  it('fulfils a claim whose user a crash has kept from being made, and abandons one whose _id is taken', async () => {
    const index = `%identities${++count}`;
    const { security, admin, ask, idOf } = await open({ index });
    const claimed = await ask('one', 'x', { create: true, profileIds: ['none'] });
    expect(claimed.status).toBe(400);
    const name = { index, collection: 'credentials' };
    const claims: string[] = [];
    for await (const batch of shared.engine.scan(name, parseCount({}))) {
      for (const { id } of batch) if (id.startsWith('identity:')) claims.push(id);
    }
    expect(claims).toHaveLength(1);
    const claim = await shared.engine.read(name, claims[0] ?? '');
    const taken = claim?.source['userId'] as string;
    const body = { profileIds: ['default'], password: PASSWORD };
    await security.result('security.createUser', { _id: taken, body }, { jwt: admin });
    const id = await idOf('one', 'x');
    expect(id).not.toBe(taken);
    expect(await idOf('one', 'x')).toBe(id);
  });

  it.each([
    ['an empty one', ''],
    ['one that is too long', 'x'.repeat(2_049)],
  ])('refuses %s as a failure of the plugin', async (_, identity) => {
    const { ask } = await open();
    const { error } = await ask('one', identity, { create: true });
    expect(error).toMatchObject({ id: 'core.plugin_failed' });
  });
});
