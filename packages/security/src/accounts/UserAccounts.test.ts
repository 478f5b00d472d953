import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '@millrace/kernel';
import {
  openTestEngine,
  openTestSecurity,
  PASSWORD,
  type Sender,
  type TestEngine,
  type TestSecurity,
} from '../openTestSecurity.test.support.js';

let shared: TestEngine;
let index = '';
let indexCount = 0;
let security: TestSecurity;
let admin: Sender;

beforeAll(async () => {
  shared = await openTestEngine();
});
afterAll(() => shared.close());
beforeEach(async () => {
  index = `%test${++indexCount}`;
  security = await openTestSecurity({ engine: shared.engine, index });
  admin = { jwt: await security.admin() };
});
afterEach(() => security.close());

const create = (_id: string, more: object = {}) =>
  security.result(
    'security.createUser',
    { _id, body: { profileIds: ['default'], password: PASSWORD, ...more } },
    admin,
  );
const refuse = (name: string, fields: object) => security.refusal(name, { ...fields }, admin);
const source = async (_id: string) =>
  (await security.result('security.getUser', { _id }, admin))['_source'] as JsonObject;
const find = async (body: object) => {
  const { hits } = await security.result('security.searchUsers', { body }, admin);
  return (hits as readonly { _id: string }[]).map(({ _id }) => _id).sort();
};

describe('users: what may be written', () => {
  it('refuses ids that no user may have', async () => {
    for (const _id of ['-1', '_x', '', 'a\u0000b', '\ud800', 'x'.repeat(513)]) {
      const user = { _id, body: { profileIds: ['default'], password: PASSWORD } };
      expect(await refuse('security.createUser', user)).toBe('400 security.invalid_id');
    }
  });

  it.each([
    ['no profile', { profileIds: undefined }],
    ['an empty list of profiles', { profileIds: [] }],
    ['a string for the list', { profileIds: 'default' }],
    ['an unknown profile', { profileIds: ['default', 'nope'] }],
    ['contradicting profiles', { profileIds: ['default'], profileId: 'admin' }],
    ['a property that begins with "_"', { _private: 1 }],
    ['the reserved field', { 'millrace-account': { gen: 'mine' } }],
    ['a path into the reserved field', { 'millrace-account.gen': 'mine' }],
    ['credentials as a property', { credentials: { password: 'x' } }],
    ['a suid that is no text', { suid: 7 }],
  ])('refuses %s', async (_, more) => {
    const user = { _id: 'ada', body: { profileIds: ['default'], password: PASSWORD, ...more } };
    expect(await refuse('security.createUser', user)).toBe('400 security.invalid_user');
    expect(await refuse('security.getUser', { _id: 'ada' })).toBe('404 security.user_not_found');
  });

  it.each([
    [[], 'profileIds: expected a list of 1 to 1000 strings, got an empty list'],
    [['default', 5], 'profileIds[1]: expected a string, got 5'],
  ])('says what is wrong with the profiles %j', async (profileIds, problem) => {
    const user = { _id: 'ada', body: { profileIds, password: PASSWORD } };
    const { error } = await security.send('security.createUser', user, admin);
    expect(error?.message).toContain(problem);
  });

  it('keeps keys such as __proto__ as plain data', async () => {
    const body = JSON.parse(
      `{"profileIds":["default"],"password":"${PASSWORD}","deep":{"__proto__":{"isAdmin":true}},"constructor":1}`,
    ) as JsonObject;
    await security.result('security.createUser', { _id: 'ada', body }, admin);
    await security.result('security.updateUser', { _id: 'ada', body: { more: 1 } }, admin);
    expect(JSON.stringify(await source('ada'))).toContain(
      '"deep":{"__proto__":{"isAdmin":true}},"constructor":1,"more":1',
    );
    expect(({} as Record<string, unknown>)['isAdmin']).toBeUndefined();
  });

  it('takes back what getUser shows', async () => {
    await create('ada', { name: 'Ada' });
    const body = { ...(await source('ada')), name: 'Countess' };
    await security.result('security.createOrReplaceUser', { _id: 'ada', body }, admin);
    expect(await source('ada')).toEqual(body);
    await security.login('ada');
  });

  it('writes nothing for an update that changes nothing', async () => {
    await create('ada', { name: 'Ada' });
    const update = (body: object) => security.result('security.updateUser', { _id: 'ada', body }, admin);
    expect(await update({ name: 'Ada' })).toMatchObject({ _version: 1 });
    expect(await update({ name: 'Countess' })).toMatchObject({ _version: 2 });
  });
});

describe('users: suid (SEC-41)', () => {
  it('of another user is a 409 for createUser, and stays with its user', async () => {
    await create('ada', { suid: 'one' });
    const body = { profileIds: ['default'], password: PASSWORD, suid: 'one' };
    expect(await refuse('security.createUser', { _id: 'eve', body })).toBe('409 security.suid_taken');
    expect(await refuse('security.createOrReplaceUser', { _id: 'eve', body })).toBe('409 security.suid_taken');
    const replace = { _id: 'ada', body: { ...body, suid: 'two' } };
    const replaced = await security.result('security.createOrReplaceUser', replace, admin);
    expect(replaced).toMatchObject({ created: false, _source: { suid: 'one' } });
    expect(await security.login('ada')).toBeTypeOf('string');
  });

  it('is refused where it cannot be chosen', async () => {
    await create('ada');
    const jwt = await security.login('ada');
    const body = { suid: 'mine', password: PASSWORD };
    expect(await refuse('security.updateUser', { _id: 'ada', body })).toBe('400 security.invalid_user');
    expect(await refuse('security.createRestrictedUser', { _id: 'eve', body })).toBe('400 security.invalid_user');
    expect(await security.refusal('auth.updateSelf', { body }, { jwt })).toBe('400 security.invalid_user');
  });

  it('given to many at once makes one user', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => {
        const body = { profileIds: ['default'], password: PASSWORD, suid: 'shared' };
        return security.send('security.createUser', { _id: `user-${i}`, body }, admin);
      }),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
  });

  it('of a deleted user can be used again, without the old credentials', async () => {
    await create('ada', { suid: 'one' });
    await security.result('security.deleteUser', { _id: 'ada' }, admin);
    await create('ada', { suid: 'one', password: 'another-Password-8' });
    const old = { body: { username: 'ada', password: PASSWORD } };
    expect(await security.refusal('auth.login', old)).toBe('401 auth.wrong_credentials');
    await security.login('ada', 'another-Password-8');
  });
});

describe('users: at the same moment', () => {
  it('one of many creations of an id succeeds', async () => {
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, i) => {
        const body = { profileIds: ['default'], password: `${PASSWORD}-${i}` };
        return security.send('security.createUser', { _id: 'ada', body }, admin);
      }),
    );
    const winners = answers.flatMap(({ status }, i) => (status === 200 ? [i] : []));
    expect(winners).toHaveLength(1);
    expect(answers.filter(({ error }) => error?.id === 'security.user_exists')).toHaveLength(29);
    await security.login('ada', `${PASSWORD}-${winners[0]}`);
  });

  it('updates of one user lose nothing', async () => {
    await create('ada');
    const updates = Array.from({ length: 30 }, (_, i) =>
      security.result('security.updateUser', { _id: 'ada', body: { [`p${i}`]: i } }, admin),
    );
    await Promise.all(updates);
    const stored = await source('ada');
    expect(Object.keys(stored).filter((key) => /^p\d+$/.test(key))).toHaveLength(30);
  });

  it('two nodes that change one user both succeed', async () => {
    await create('ada');
    const other = await openTestSecurity({ engine: shared.engine, index, time: security.time });
    await security.result('security.getUser', { _id: 'ada' }, admin);
    const on = (node: TestSecurity, body: object) => node.result('security.updateUser', { _id: 'ada', body }, admin);
    await Promise.all([on(security, { a: 1 }), on(other, { b: 2 })]);
    await on(security, { c: 3 });
    expect(await source('ada')).toMatchObject({ a: 1, b: 2, c: 3 });
    await other.close();
  });

  it('a profile is never deleted while a user takes it (SEC-23)', async () => {
    for (let round = 0; round < 5; round++) {
      const id = `profile-${round}`;
      const profile = { _id: id, body: { policies: [{ roleId: 'default' }] } };
      await security.result('security.createProfile', profile, admin);
      const body = { profileIds: [id], password: PASSWORD };
      const [made, deleted] = await Promise.all([
        security.send('security.createUser', { _id: `user-${round}`, body }, admin),
        security.send('security.deleteProfile', { _id: id }, admin),
      ]);
      expect([made.status, deleted.status].sort()).toEqual(made.status === 200 ? [200, 412] : [200, 400]);
    }
  });

  it('a role is never deleted while a profile takes it', async () => {
    for (let round = 0; round < 5; round++) {
      const id = `role-${round}`;
      const role = { _id: id, body: { controllers: { server: { actions: { now: true } } } } };
      await security.result('security.createRole', role, admin);
      const body = { policies: [{ roleId: id }] };
      const [made, deleted] = await Promise.all([
        security.send('security.createProfile', { _id: `of-${id}`, body }, admin),
        security.send('security.deleteRole', { _id: id }, admin),
      ]);
      expect([made.status, deleted.status].sort()).toEqual(made.status === 200 ? [200, 412] : [200, 400]);
    }
  });
});

describe('users: the last administrator (SEC-8)', () => {
  it('is neither deleted nor demoted, also by two calls at once', async () => {
    const demotion = { _id: 'root', body: { profileIds: ['default'] } };
    for (const [name, fields] of [
      ['security.deleteUser', { _id: 'root' }],
      ['security.updateUser', demotion],
      ['security.createOrReplaceUser', demotion],
    ] as const) {
      expect(await refuse(name, fields)).toBe('412 security.last_administrator');
    }
    await create('second', { profileIds: ['admin'] });
    const answers = await Promise.all(
      ['root', 'second'].map((_id) => security.send('security.updateUser', { ...demotion, _id }, admin)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
  });
});

describe('users: searches', () => {
  it('find free properties, page, sort and filter what is shown', async () => {
    for (const [i, name] of ['Ada', 'Bob', 'Cyd'].entries()) await create(`u${i}`, { name, rank: i });
    expect(await find({ query: { range: { rank: { gte: 1 } } } })).toEqual(['u1', 'u2']);
    const body = {
      sort: [{ rank: 'desc' }],
      _source: ['name'],
      query: { exists: { field: 'rank' } },
    };
    const found = await security.result('security.searchUsers', { body, from: 1, size: 1 }, admin);
    expect(found).toEqual({ total: 3, hits: [{ _id: 'u1', _source: { name: 'Bob' } }] });
  });

  it('store values that do not fit those of another user, without finding it (SEC-47)', async () => {
    await create('one', { age: 7, tag: 'x' });
    await create('two', { age: 'seven', tag: 'x' });
    await create('three', { age: { years: 7 }, tag: 'x' });
    expect(await source('two')).toMatchObject({ age: 'seven' });
    expect(await source('three')).toMatchObject({ age: { years: 7 } });
    expect(await find({ query: { exists: { field: 'age' } } })).toEqual(['one']);
    expect(await find({ query: { match: { tag: 'x' } } })).toEqual(['one', 'three', 'two']);
  });

  it('go on when there are more properties than a mapping can hold', async () => {
    const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`property${i}`, i]));
    await create('ada', many);
    await create('bob', { fresh: 1 });
    expect(Object.keys(await source('ada')).length).toBeGreaterThan(3_000);
    expect(await source('bob')).toMatchObject({ fresh: 1 });
  });

  it('never reach gen, credentials or the reserved field, by whatever form', async () => {
    await create('ada', { name: 'Ada' });
    const jwt = await security.login('ada');
    const { gen } = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()) as {
      gen: string;
    };
    const fields = [
      'millrace-account',
      'millrace-account.gen',
      'millrace-account.content',
      'gen',
      'hash',
      'password',
      'credentials',
    ];
    for (const field of fields) {
      for (const query of [
        { exists: { field } },
        { term: { [field]: gen } },
        { prefix: { [field]: '' } },
        { wildcard: { [field]: '*' } },
        { regexp: { [field]: '.*' } },
        { match: { [field]: gen } },
        { query_string: { query: `${field}:*` } },
        { multi_match: { query: gen, fields: ['*', field] } },
      ]) {
        const answer = await security.send('security.searchUsers', { body: { query } }, admin);
        const { total = 0 } = (answer.result ?? {}) as { total?: number };
        expect([answer.status, total]).toEqual([answer.status === 400 ? 400 : 200, 0]);
      }
    }
    for (const body of [
      {},
      { _source: true },
      { _source: ['*'] },
      { _source: ['millrace-account.*'] },
      { query: { query_string: { query: `*${gen}*` } } },
      { sort: [{ 'millrace-account.gen': 'asc' }] },
      { aggs: { a: { terms: { field: 'millrace-account.gen' } } } },
      { aggs: { a: { top_hits: {} } } },
      { highlight: { fields: { '*': {} } }, query: { match_all: {} } },
    ]) {
      const answer = await security.send('security.searchUsers', { body }, admin);
      const text = JSON.stringify({ ...answer, jwt: '' });
      for (const secret of [gen, 'hashed:', PASSWORD, '"content"', 'keptTokenId']) {
        expect(text).not.toContain(secret);
      }
    }
    const internal = { index, collection: 'users' };
    const stored = await security.engine.read(internal, 'ada');
    expect(JSON.stringify(stored)).toContain(gen);
    expect(JSON.stringify(stored)).not.toContain('hashed:');
  });

  it('follow the mapping that an administrator gives, which never shows or changes the reserved field', async () => {
    const { send, result } = security;
    await result('security.updateUserMapping', { body: { properties: { code: { type: 'keyword' } } } }, admin);
    await create('ada', { code: 'A b' });
    expect(await find({ query: { term: { code: 'A b' } } })).toEqual(['ada']);
    const mapping = JSON.stringify(await result('security.getUserMapping', {}, admin));
    expect(mapping).toContain('"code":{"type":"keyword"}');
    expect(mapping).not.toContain('millrace-account');
    for (const name of ['millrace-account', 'profileIds', 'suid', 'millrace-account.gen']) {
      const body = { properties: { [name]: { type: 'keyword' } } };
      expect((await send('security.updateUserMapping', { body }, admin)).status).toBe(400);
    }
  });
});

describe('users: themselves', () => {
  it('cannot give themselves profiles, an id or a suid', async () => {
    await create('ada', { name: 'Ada' });
    const before = await source('ada');
    const jwt = await security.login('ada');
    for (const more of [{ profileIds: ['admin'] }, { profileId: 'admin' }, { suid: 'x' }, { _id: 'root' }]) {
      expect(await security.refusal('auth.updateSelf', { body: { name: 'x', ...more } }, { jwt })).toBe(
        '400 security.invalid_user',
      );
      const body = { password: PASSWORD, ...more };
      const signUp = await security.send('security.createRestrictedUser', { _id: 'eve', body });
      // A creation may carry the id in its body.
      expect(signUp.status).toBe('_id' in more ? 200 : 400);
    }
    expect(await source('ada')).toEqual(before);
    expect(await source('eve')).toMatchObject({ profileIds: ['default'] });
  });

  it('have, replace and remove their credentials', async () => {
    await create('ada');
    await security.result(
      'security.createOrReplaceRole',
      { _id: 'default', body: { controllers: { auth: { actions: { '*': true } } } } },
      admin,
    );
    const ada = { jwt: await security.login('ada') };
    const other = await security.login('ada');
    const asked = { strategy: 'local', body: { password: 'another-Password-8' } };
    const { result, refusal, send } = security;
    expect((await send('auth.hasMyCredentials', asked, ada)).result).toBe(true);
    expect(await refusal('auth.createMyCredentials', asked, ada)).toBe('409 auth.credentials_exist');
    expect(await result('auth.updateMyCredentials', asked, ada)).toEqual({});
    expect((await send('auth.getMyRights', {}, { jwt: other })).status).toBe(401);
    await security.login('ada', 'another-Password-8');
    expect(await result('auth.deleteMyCredentials', asked, ada)).toEqual({ acknowledged: true });
    expect((await send('auth.hasMyCredentials', asked, ada)).result).toBe(false);
    expect(await refusal('auth.updateMyCredentials', asked, ada)).toBe('404 auth.no_credentials');
    expect(await refusal('auth.deleteMyCredentials', asked, ada)).toBe('404 auth.no_credentials');
    const login = { body: { username: 'ada', password: 'another-Password-8' } };
    expect(await refusal('auth.login', login)).toBe('401 auth.wrong_credentials');
    expect(await result('auth.createMyCredentials', asked, ada)).toEqual({});
    const third = await security.login('ada', 'another-Password-8');
    expect((await send('auth.getMyRights', {}, { jwt: third })).status).toBe(200);
    expect(await refusal('auth.hasMyCredentials', { strategy: 'nope' }, ada)).toBe('400 auth.unknown_strategy');
  });
});
