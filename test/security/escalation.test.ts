import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@millrace/kernel';
import { flatRole, fresh, startSecured, type Account, type SecuredServer } from './securedServer.js';

const PASSWORD = 'a-Password-of-mine';
const EVERYTHING = flatRole({ '*': ['*'] });

describe('getting more rights than one has', () => {
  let server: SecuredServer;
  /** Everything that may be handed out without making a user an administrator. */
  let trusted: Account;
  beforeAll(async () => {
    // Each check tries a wrong password for the administrator.
    server = await startSecured({ security: { login: { maxFailuresPerAccount: 1_000 } } });
    trusted = await server.account(
      flatRole({
        auth: ['*'],
        document: ['*'],
        security: [
          'createRestrictedUser',
          'getUser',
          'getRole',
          'getProfile',
          'getUserRights',
          'getProfileRights',
          'mGetProfiles',
          'mGetRoles',
          'searchUsers',
          'searchProfiles',
          'searchRoles',
        ],
      }),
    );
  });
  afterAll(() => server.close());

  it.each<[string, string, (id: { user: string; role: string; profile: string }) => string, JsonObject]>([
    ['a stronger role', 'PUT', ({ role }) => `/roles/${role}`, EVERYTHING],
    ['an addition to its own role', 'POST', ({ role }) => `/roles/${role}`, EVERYTHING],
    ['a new role', 'POST', () => `/roles/${fresh('r')}/_create`, EVERYTHING],
    ['a stronger role anonymous', 'PUT', () => '/roles/anonymous', EVERYTHING],
    ['a stronger role default', 'POST', () => '/roles/default', EVERYTHING],
    ['a stronger profile', 'POST', ({ profile }) => `/profiles/${profile}`, { policies: [{ roleId: 'admin' }] }],
    ['a new profile', 'POST', () => `/profiles/${fresh('p')}/_create`, { policies: [{ roleId: 'admin' }] }],
    ['a stronger profile default', 'PUT', () => '/profiles/default', { policies: [{ roleId: 'admin' }] }],
    ['another profile for itself', 'POST', ({ user }) => `/users/${user}`, { profileIds: ['admin'] }],
    ['itself anew', 'PUT', ({ user }) => `/users/${user}`, { profileId: 'admin', password: PASSWORD }],
    ['another user', 'POST', () => '/users/_create', { profileIds: ['admin'], password: PASSWORD }],
    [
      'a restricted user with profiles',
      'POST',
      () => '/users/_createRestricted',
      { profileIds: ['admin'], password: PASSWORD },
    ],
    ['the end of its role', 'DELETE', ({ role }) => `/roles/${role}`, {}],
    ['the end of the administrator', 'DELETE', () => '/users/ADMIN', {}],
    ['a password for the administrator', 'POST', () => '/users/ADMIN', { password: PASSWORD }],
    ['another mapping of users', 'PUT', () => '/users/_mapping', { properties: { x: { type: 'keyword' } } }],
  ])('is refused: %s', async (_, method, path, body) => {
    const { id, roleId, profileId, jwt } = trusted;
    const target = path({ user: id, role: roleId, profile: profileId }).replace('ADMIN', server.adminId);
    const reply = await server.http(method, target, { jwt, body });
    expect([400, 403]).toContain(reply.status);
    for (const probe of ['/_list', '/_getConfig', '/_getAllStats']) {
      expect((await server.http('GET', probe, { jwt })).status).toBe(403);
      expect((await server.http('GET', probe, { jwt: null })).status).toBe(401);
    }
    expect((await server.login(server.adminId, PASSWORD)).status).toBe(401);
  });

  it('is refused for the configuration and the mapping of users to who is no administrator', async () => {
    // SEC-34: both are for administrators, and an administrator is a user with profile `admin`.
    const all = await server.account(EVERYTHING);
    expect((await server.http('GET', '/_list', { jwt: all.jwt })).status).toBe(200);
    for (const [method, path] of [
      ['GET', '/_getConfig'],
      ['GET', '/users/_mapping'],
      ['PUT', '/users/_mapping'],
    ] as const) {
      const body = { properties: { x: { type: 'keyword' } } };
      const reply = await server.http(method, path, {
        jwt: all.jwt,
        ...(method === 'GET' ? {} : { body }),
      });
      expect([path, reply.status]).toEqual([path, 403]);
    }
    expect((await server.http('GET', '/_getConfig')).status).toBe(200);
  });

  it('by two spellings of one field in one body is refused', async () => {
    const both = [
      { profileId: 'default', profileIds: ['admin'] },
      { profileId: 'admin', profileIds: ['default'] },
    ];
    for (const body of both) {
      const id = fresh('two');
      expect(
        (
          await server.http('POST', `/users/${id}/_create`, {
            body: { ...body, password: PASSWORD },
          })
        ).status,
      ).toBe(400);
      expect((await server.http('PUT', `/users/${id}`, { body: { ...body, password: PASSWORD } })).status).toBe(400);
      expect((await server.http('POST', `/users/${trusted.id}`, { body })).status).toBe(400);
    }
    const policies = { policies: [{ roleId: 'default' }], roles: [{ roleId: 'admin' }] };
    expect((await server.http('POST', `/profiles/${fresh('two')}/_create`, { body: policies })).status).toBe(400);
    const roleIds = { policies: [{ roleId: 'default', _id: 'admin' }] };
    expect((await server.http('POST', `/profiles/${fresh('two')}/_create`, { body: roleIds })).status).toBe(400);
  });
});

describe('going round a condition', () => {
  let server: SecuredServer;
  let index: string;
  beforeAll(async () => {
    server = await startSecured({ security: { protectedProperties: ['department', 'suid'] } });
    index = fresh('cond');
  });
  afterAll(() => server.close());

  const owned = { when: { equals: { 'request.body.owner': { $ref: 'user._id' } } } };
  const stored = { when: { equals: { 'document.owner': { $ref: 'user._id' } } } };
  const role = (actions: Record<string, unknown>) =>
    ({ controllers: { document: { actions }, bulk: { actions: { import: true } } } }) as JsonObject;

  it.each<[string, (own: JsonObject, id: string) => [string, string, JsonObject]]>([
    ['a null owner', (_own, id) => ['PUT', `/${id}`, { owner: null }]],
    ['an owner list', (own, id) => ['PUT', `/${id}`, { owner: [own.owner ?? '', 'x'] }]],
    ['a dotted key', (own, id) => ['PUT', `/${id}`, { 'owner.x': own.owner ?? '' }]],
    ['a prototype', (own, id) => ['PUT', `/${id}`, JSON.parse(`{"__proto__": ${JSON.stringify(own)}}`) as JsonObject]],
    ['a nested body', (own, id) => ['PUT', `/${id}`, { body: own }]],
    ['another owner', (_own, id) => ['PUT', `/${id}`, { owner: 'somebody else' }]],
    [
      'mCreate',
      (_own, id) => [
        'POST',
        '/_mCreate',
        { owner: 'USER', documents: [{ _id: id, body: { owner: 'somebody else' } }] },
      ],
    ],
    [
      'mCreateOrReplace',
      (_own, id) => [
        'PUT',
        '/_mCreateOrReplace',
        { documents: [{ _id: id, owner: 'USER', body: { owner: 'somebody else' } }] },
      ],
    ],
    [
      'a bulk',
      (_own, id) => [
        'POST',
        '/_bulk',
        { owner: 'USER', bulkData: [{ index: { _id: id } }, { owner: 'somebody else' }] },
      ],
    ],
  ])('on the body by %s creates nothing', async (_, attempt) => {
    const actions = {
      create: owned,
      createOrReplace: owned,
      mCreate: true,
      mCreateOrReplace: true,
    };
    const user = await server.account(role(actions));
    const id = fresh('d');
    const [method, path, sent] = attempt({ owner: user.id }, id);
    const body = JSON.parse(JSON.stringify(sent).replaceAll('USER', user.id)) as JsonObject;
    const reply = await server.http(method, `/${index}/docs${path}`, { jwt: user.jwt, body });
    expect([206, 400, 403]).toContain(reply.status);
    expect((await server.http('GET', `/${index}/docs/${id}`)).status).toBe(404);
    const good = await server.http('PUT', `/${index}/docs/${id}`, {
      jwt: user.jwt,
      body: { owner: user.id },
    });
    expect(good.status).toBe(200);
  });

  it.each<[string, string, (id: string) => string, (id: string) => JsonObject | undefined]>([
    ['get', 'GET', (id) => `/${id}`, () => undefined],
    ['createOrReplace', 'PUT', (id) => `/${id}`, () => ({ owner: 'USER' })],
    ['replace', 'PUT', (id) => `/${id}/_replace`, () => ({ owner: 'USER' })],
    ['update', 'PUT', (id) => `/${id}/_update`, () => ({ owner: 'USER' })],
    ['delete', 'DELETE', (id) => `/${id}`, () => undefined],
    ['mGet', 'POST', () => '/_mGet', (id) => ({ ids: [id] })],
    ['mDelete', 'DELETE', () => '/_mDelete', (id) => ({ ids: [id] })],
    ['mUpdate', 'PUT', () => '/_mUpdate', (id) => ({ documents: [{ _id: id, body: { owner: 'USER' } }] })],
    [
      'mCreateOrReplace',
      'PUT',
      () => '/_mCreateOrReplace',
      (id) => ({ documents: [{ _id: id, body: { owner: 'USER' } }] }),
    ],
    ['bulk index', 'POST', () => '/_bulk', (id) => ({ bulkData: [{ index: { _id: id } }, { owner: 'USER' }] })],
    [
      'bulk update',
      'POST',
      () => '/_bulk',
      (id) => ({ bulkData: [{ update: { _id: id } }, { doc: { owner: 'USER' } }] }),
    ],
    ['bulk delete', 'POST', () => '/_bulk', (id) => ({ bulkData: [{ delete: { _id: id } }] })],
    ['search', 'POST', () => '/_search', () => ({})],
    ['count', 'POST', () => '/_count', () => ({})],
    ['deleteByQuery', 'DELETE', () => '/_query', () => ({ query: { match_all: {} } })],
  ])('on the stored document by %s reaches no document of another user', async (_, method, path, body) => {
    const names = [
      'get',
      'create',
      'createOrReplace',
      'replace',
      'update',
      'delete',
      'search',
      'count',
      'deleteByQuery',
    ];
    const batches = ['mGet', 'mDelete', 'mUpdate', 'mCreateOrReplace', 'mReplace', 'mCreate'];
    const user = await server.account(
      role({
        ...Object.fromEntries(names.map((name) => [name, stored])),
        ...Object.fromEntries(batches.map((name) => [name, true])),
      }),
    );
    const id = fresh('d');
    await server.result('PUT', `/${index}/docs/${id}`, {
      body: { owner: 'somebody else', text: 'private-text' },
    });
    const sent = JSON.parse(JSON.stringify(body(id) ?? null).replaceAll('USER', user.id)) as JsonObject | null;
    const reply = await server.http(method, `/${index}/docs${path(id)}`, {
      jwt: user.jwt,
      ...(sent === null ? {} : { body: sent }),
    });
    expect([206, 403]).toContain(reply.status);
    expect(reply.text).not.toContain('private-text');
    expect(await server.result('GET', `/${index}/docs/${id}`)).toMatchObject({
      _version: 1,
      _source: { owner: 'somebody else' },
    });
  });

  it('on the identifier by an identifier in the body creates nothing', async () => {
    const notThat = { when: { not: { equals: { 'request._id': 'reserved' } } } };
    const user = await server.account(role({ create: notThat, mCreate: true, createOrReplace: notThat }));
    const create = (path: string, body: JsonObject) =>
      server.http('POST', `/${index}/ids${path}`, { jwt: user.jwt, body });
    expect((await create('/other/_create', {})).status).toBe(200);
    for (const [path, body] of [
      ['/reserved/_create', {}],
      ['/_create', { _id: 'reserved' }],
      ['/_create?_id=reserved', {}],
      ['/_mCreate', { documents: [{ _id: 'reserved', body: {} }] }],
      ['/_bulk', { bulkData: [{ create: { _id: 'reserved' } }, { a: 1 }] }],
    ] as const) {
      expect([path, [206, 403].includes((await create(path, body as JsonObject)).status)]).toEqual([path, true]);
    }
    expect((await server.http('GET', `/${index}/ids/reserved`)).status).toBe(404);
  });

  it('on the stored document by an identifier in the body of a message replaces nothing', async () => {
    const user = await server.account(role({ createOrReplace: stored, create: stored }));
    const id = fresh('d');
    await server.result('PUT', `/${index}/docs/${id}`, { body: { owner: 'somebody else' } });
    const message = {
      controller: 'document',
      action: 'createOrReplace',
      index,
      collection: 'docs',
      jwt: user.jwt,
    };
    for (const more of [
      { body: { _id: id, owner: user.id } },
      { _id: null, body: { _id: id, owner: user.id } },
      { _id: id, body: { _id: 'other', owner: user.id } },
    ]) {
      expect((await server.message({ ...message, ...more })).status).toBe(403);
    }
    expect(await server.result('GET', `/${index}/docs/${id}`)).toMatchObject({ _version: 1 });
    const own = { ...message, body: { _id: fresh('d'), owner: user.id } };
    expect((await server.message(own)).status).toBe(200);
    expect((await server.message(own)).status).toBe(200);
  });

  it('on the user can not be turned by its own properties', async () => {
    const department = { when: { equals: { 'user.department': 'sales' } } };
    const self = {
      controllers: {
        document: { actions: { get: department } },
        auth: { actions: { updateSelf: true } },
      },
    } as JsonObject;
    const user = await server.account(self);
    await server.result('PUT', `/${index}/docs/sales`, { body: { a: 1 } });
    const get = async () => (await server.http('GET', `/${index}/docs/sales`, { jwt: user.jwt })).status;
    expect(await get()).toBe(403);
    const body = { department: 'sales' };
    expect((await server.http('PUT', '/_updateSelf', { jwt: user.jwt, body })).status).toBe(400);
    expect(await get()).toBe(403);
    for (const [path, value] of [
      ['user._id', 'x'],
      ['user.profileIds', 'admin'],
      ['user.suid', 'x'],
    ] as const) {
      const rule = {
        controllers: {
          document: { actions: { get: { when: { equals: { [path]: value } } } } },
          auth: { actions: { updateSelf: true } },
        },
      };
      await server.result('PUT', `/roles/${user.roleId}`, { body: rule as JsonObject });
      const key = path.slice('user.'.length);
      await server.http('PUT', '/_updateSelf', {
        jwt: user.jwt,
        body: { [key]: value, [`user.${key}`]: value, user: { [key]: value } },
      });
      await server.http('PUT', '/_updateSelf', {
        jwt: user.jwt,
        body: { user: { [key]: value }, [path]: value },
      });
      expect([path, await get()]).toEqual([path, 403]);
    }
  });
});
