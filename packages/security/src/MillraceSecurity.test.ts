import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseMapping } from '@millrace/query';
import {
  createRequest,
  custom,
  isThenable,
  readTarget,
  SECURITY,
  toCollectionName,
  type ActionDefinition,
  type JsonObject,
  type Logger,
} from '@millrace/kernel';
import {
  openTestEngine,
  openTestSecurity,
  PASSWORD,
  probe,
  type Sender,
  type TestEngine,
  type TestSecurity,
} from './openTestSecurity.test.support.js';

const anything = custom('anything', {}, (value) => value as never);
const inCollection = {
  args: { index: anything, collection: anything, _id: anything },
} as Partial<ActionDefinition>;
const actions = [
  probe('document.get', { ...inCollection, subject: 'stored' }),
  probe('document.search', inCollection),
  probe('document.create', { ...inCollection, effect: 'createsCollection', subject: 'sent' }),
  probe('document.createOrReplace', {
    ...inCollection,
    effect: 'createsCollection',
    subject: 'storedOrSent',
  }),
  probe('index.create', { args: { index: anything }, effect: 'createsIndex' }),
  probe('index.delete', { args: { index: anything }, effect: 'deletesIndex' }),
  probe('collection.truncate', { ...inCollection, effect: 'deletesCollection' }),
  probe('server.getConfig'),
];

let shared: TestEngine;
let count = 0;
let security: TestSecurity;
let admin: Sender;
const logged: string[] = [];
const note = (fields: object, message: string) => void logged.push(JSON.stringify({ ...fields, message }));
const log: Logger = { debug: note, info: note, warn: note, error: note, child: () => log };

beforeAll(async () => {
  shared = await openTestEngine();
});
afterAll(() => shared.close());
beforeEach(async () => {
  logged.length = 0;
  security = await openTestSecurity({
    engine: shared.engine,
    index: `%test${++count}`,
    actions,
    log,
    config: { protectedProperties: ['department'] },
  });
  admin = { jwt: await security.admin() };
});
afterEach(() => security.close());

/** A user with a dedicated role. */
async function account(id: string, role: JsonObject, properties: JsonObject = {}): Promise<Sender> {
  await security.result('security.createRole', { _id: id, body: role }, admin);
  const profile = { _id: id, body: { policies: [{ roleId: id }] } };
  await security.result('security.createProfile', profile, admin);
  const user = { _id: id, body: { profileIds: [id], password: PASSWORD, ...properties } };
  await security.result('security.createUser', user, admin);
  return { jwt: await security.login(id) };
}

const status = async (name: string, fields: object, sender: Sender) =>
  (await security.send(name, { ...fields }, sender)).status;
const flat = (controllers: Record<string, Record<string, unknown>>) =>
  ({
    controllers: Object.fromEntries(Object.entries(controllers).map(([name, rights]) => [name, { actions: rights }])),
  }) as JsonObject;
const everythingIn = (index: string, flags: JsonObject = {}, inCollections: JsonObject = {}): JsonObject => ({
  indexes: {
    ...flags,
    [index]: { collections: { ...inCollections, '*': { controllers: { '*': { actions: { '*': true } } } } } },
  },
});

describe('MillraceSecurity: what a request names', () => {
  it('counts only where the action takes it: an index in the message opens no other action', async () => {
    const jwt = await account('ada', everythingIn('mine'));
    expect(await status('document.search', { index: 'mine', collection: 'c' }, jwt)).toBe(200);
    for (const name of ['security.createUser', 'security.searchUsers', 'auth.getCurrentUser', 'server.now']) {
      const body = { profileIds: ['admin'], password: PASSWORD };
      expect(await status(name, { index: 'mine', collection: 'c', body }, jwt)).toBe(403);
    }
  });

  it('is no id where the action takes none', async () => {
    const own = { when: { equals: { 'request._id': { $ref: 'user._id' } } } };
    const jwt = await account('ada', flat({ server: { now: own }, document: { get: own } }));
    expect(await status('server.now', { _id: 'ada' }, jwt)).toBe(403);
    expect(await status('document.get', { index: 'i', collection: 'c', _id: 'ada' }, jwt)).toBe(200);
  });

  it('cannot replace the user or the session', async () => {
    const jwt = await account('ada', flat({ auth: { getCurrentUser: true } }));
    const smuggled = {
      user: { _id: 'root', profileIds: ['admin'] },
      session: null,
      profileIds: ['admin'],
    };
    expect(await status('security.searchUsers', { ...smuggled, body: smuggled }, jwt)).toBe(403);
  });
});

describe('MillraceSecurity: creating and deleting', () => {
  it('forbids new indexes and collections in fact, not writes into what is there', async () => {
    const [index, fresh] = [`there${count}`, `fresh${count}`];
    const place = { index, collection: 'c' };
    await shared.engine.createCollection(place, parseMapping({}));
    const role = {
      indexes: {
        _canCreate: false,
        '*': { collections: { _canCreate: false, '*': { controllers: { '*': { actions: { '*': true } } } } } },
      },
    };
    const jwt = await account('ada', role);
    expect(await status('document.create', { ...place, body: {} }, jwt)).toBe(200);
    expect(await status('document.create', { index, collection: 'new', body: {} }, jwt)).toBe(403);
    expect(await status('document.create', { index: fresh, collection: 'c', body: {} }, jwt)).toBe(403);
    expect(await status('index.create', { index: fresh }, jwt)).toBe(403);
    for (const odd of ['', '*', '../x', 'a/b', 'a\u0000b', '%other', 'x'.repeat(300)]) {
      expect(await status('document.create', { index: odd, collection: 'c', body: {} }, jwt)).toBe(403);
      expect(await status('document.create', { index, collection: odd, body: {} }, jwt)).toBe(403);
    }
  });

  it('forbids deleting where _canDelete is false', async () => {
    const collections = {
      kept: { _canDelete: false, controllers: { '*': { actions: { '*': true } } } },
    };
    const jwt = await account('ada', everythingIn('mine', {}, collections));
    expect(await status('collection.truncate', { index: 'mine', collection: 'kept' }, jwt)).toBe(403);
    expect(await status('collection.truncate', { index: 'mine', collection: 'c' }, jwt)).toBe(200);
    expect(await status('index.delete', { index: 'mine' }, jwt)).toBe(403);
  });
});

describe('MillraceSecurity: conditions', () => {
  const own = { when: { equals: { 'document.owner': { $ref: 'user._id' } } } };

  it('see the stored document, the one sent, or either, as the action has it', async () => {
    const place = { index: `docs${count}`, collection: 'c' };
    await shared.engine.createCollection(place, parseMapping({}));
    const put = (id: string, owner: string) =>
      ({ ...place, kind: 'put', id, source: { owner }, condition: 'any' }) as const;
    await shared.engine.write([put('hers', 'ada'), put('his', 'bob')], true);
    const jwt = await account('ada', flat({ document: { '*': own } }));
    const [hers, his] = [{ owner: 'ada' }, { owner: 'bob' }];
    for (const [name, _id, body, expected, index = place.index] of [
      ['document.get', 'hers', undefined, 200],
      ['document.get', 'his', undefined, 403],
      ['document.get', 'none', hers, 403],
      ['document.get', undefined, hers, 403],
      ['document.get', 'hers', undefined, 403, `absent${count}`],
      ['document.create', 'new', hers, 200],
      ['document.create', 'new', his, 403],
      ['document.create', 'new', undefined, 403],
      ['document.createOrReplace', 'his', hers, 403],
      ['document.createOrReplace', 'hers', his, 200],
      ['document.createOrReplace', 'new', hers, 200],
      ['document.createOrReplace', 'new', his, 403],
      ['document.search', undefined, hers, 403],
    ] as const) {
      expect([name, _id, await status(name, { ...place, index, _id, body }, jwt)]).toEqual([name, _id, expected]);
    }
  });

  it('see the properties of the user as they are now (SEC-17)', async () => {
    const inSales = { when: { equals: { 'user.department': 'sales' } } };
    const jwt = await account('ada', flat({ server: { now: inSales } }), { department: 'sales' });
    expect(await status('server.now', {}, jwt)).toBe(200);
    const change = { _id: 'ada', body: { department: 'staff' } };
    await security.result('security.updateUser', change, admin);
    expect(await status('server.now', {}, jwt)).toBe(403);
  });
});

describe('MillraceSecurity: at once', () => {
  it('answers without a promise once warm', async () => {
    const jwt = await account('ada', flat({ document: { '*': true } }));
    const place = toCollectionName('i', 'c');
    expect(await status('document.create', { ...place, body: {} }, jwt)).toBe(200);
    const service = security.container.resolve(SECURITY);
    const connection = { id: 'c', protocol: 'test', remoteAddress: '' };
    for (const sender of [jwt, {}]) {
      const request = createRequest({ ...place, ...sender }, connection);
      const identity = service.authenticate(request);
      if (isThenable(identity)) throw new Error('authenticate gave a promise');
      Object.assign(request, identity);
      const create = actions.find(({ action }) => action === 'create');
      if (create === undefined) throw new Error('no action');
      request.target = readTarget(create, request);
      const target = { controller: 'document', action: 'search', ...place, id: null, body: null };
      if (identity.session === null) {
        await service.isAllowed(request, target);
        expect(service.isAllowed(request, target)).toBe(false);
      } else {
        expect(service.authorize(request, create)).toBeUndefined();
        expect(service.authorizeTarget(request, target)).toBeUndefined();
      }
    }
  });

  it('follows every change of roles, profiles and users', async () => {
    const jwt = await account('ada', flat({ server: { now: true } }));
    const now = () => status('server.now', {}, jwt);
    expect(await now()).toBe(200);
    await security.result(
      'security.createOrReplaceRole',
      { _id: 'ada', body: flat({ server: { now: false } }) },
      admin,
    );
    expect(await now()).toBe(403);
    await security.result('security.updateRole', { _id: 'ada', body: flat({ server: { now: true } }) }, admin);
    expect(await now()).toBe(200);
    await security.result('security.createRole', { _id: 'none', body: flat({}) }, admin);
    await security.result('security.updateProfile', { _id: 'ada', body: { policies: [{ roleId: 'none' }] } }, admin);
    expect(await now()).toBe(403);
    await security.result('security.updateUser', { _id: 'ada', body: { profileIds: ['default'] } }, admin);
    expect(await now()).toBe(200);
    await security.result('security.deleteUser', { _id: 'ada' }, admin);
    expect(await now()).toBe(401);
  });
});

describe('MillraceSecurity: who and what', () => {
  it('gives 401 to those without a token and 403 to those with one (SEC-30)', async () => {
    const jwt = await account('ada', flat({ server: { now: true } }));
    expect(await security.refusal('document.search', { index: 'i', collection: 'c' })).toBe('401 auth.login_needed');
    expect(await security.refusal('document.search', { index: 'i', collection: 'c' }, jwt)).toBe(
      '403 security.forbidden',
    );
  });

  it('lets every token log out, whatever the roles say (SEC-31)', async () => {
    const jwt = await account('ada', flat({ auth: { logout: false } }));
    expect(await status('auth.refreshToken', {}, jwt)).toBe(403);
    expect(await status('auth.logout', {}, jwt)).toBe(200);
    expect(await status('auth.logout', {}, jwt)).toBe(401);
    expect(await status('auth.logout', {}, {})).toBe(401);
  });

  it('keeps the configuration for administrators, whatever other roles say (SEC-34)', async () => {
    const jwt = await account('ada', flat({ '*': { '*': true } }));
    expect(await status('server.getConfig', {}, jwt)).toBe(403);
    expect(await status('security.getUserMapping', {}, jwt)).toBe(403);
    expect(await status('server.getConfig', {}, admin)).toBe(200);
  });

  it('lets a program act for a user, also for one who is not stored', async () => {
    const user = { _id: 'job', profileIds: ['admin'], task: 'nightly' };
    const current = await security.result('auth.getCurrentUser', {}, { user });
    expect(current).toMatchObject({ _id: 'job', _source: { profileId: 'admin', task: 'nightly' } });
    expect(await status('auth.logout', {}, { user })).toBe(401);
    expect(await status('document.search', { index: 'i' }, { user: { ...user, profileIds: ['nope'] } })).toBe(403);
  });

  it('switches sign-up off for those without a token', async () => {
    const config = { openSignUp: false };
    const closed = await openTestSecurity({
      engine: shared.engine,
      index: `%closed${count}`,
      config,
    });
    const jwt = await closed.admin();
    const body = { password: PASSWORD };
    expect(await closed.refusal('security.createRestrictedUser', { body })).toBe('401 auth.login_needed');
    expect((await closed.send('security.createRestrictedUser', { body }, { jwt })).status).toBe(200);
    await closed.close();
  });
});

describe('audit', () => {
  it('tells of everything in the log and by events, without any secret', async () => {
    const events: string[] = [];
    const names = [
      'auth.loggedIn',
      'auth.loginFailed',
      'auth.loggedOut',
      'auth.tokenRefreshed',
      'auth.tokensRevoked',
      'security.userChanged',
      'security.profileChanged',
      'security.roleChanged',
      'security.denied',
    ] as const;
    for (const name of names) security.hooks.add(name, 'test', () => void events.push(name));
    const { jwt = '' } = await account('ada', flat({ auth: { '*': true } }));
    await security.send('auth.login', { body: { username: 'ada', password: 'wrong-Secret-1' } });
    const refreshed = await security.result('auth.refreshToken', {}, { jwt });
    const sender = { jwt: refreshed['jwt'] as string };
    await security.send('auth.updateSelf', { body: { password: 'another-Secret-2' } }, sender);
    await security.send('server.getConfig', {}, sender);
    await security.send('auth.logout', {}, sender);
    await security.send('security.deleteUser', { _id: 'ada' }, admin);
    expect([...new Set(events)].sort()).toEqual([...names].sort());
    const text = logged.join('\n');
    for (const secret of [
      PASSWORD,
      'wrong-Secret-1',
      'another-Secret-2',
      'hashed:',
      jwt,
      sender.jwt,
      String(admin.jwt),
    ]) {
      expect(text).not.toContain(secret);
    }
    for (const line of [
      'logged in',
      'login failed',
      'logged out',
      'token refreshed',
      'tokens revoked',
      'user changed',
      'profile changed',
      'role changed',
      'denied',
    ]) {
      expect(logged.filter((each) => each.includes(`"message":"${line}"`)).length).toBeGreaterThan(0);
    }
  });
});
