import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@millrace/kernel';
import { flatRole, fresh, startSecured, type Account, type SecuredServer } from './securedServer.js';

/** What anonymous callers may do once there is an administrator (SEC-7). */
const PUBLIC = [
  'auth.login', 'auth.checkToken', 'auth.getCurrentUser', 'auth.getMyRights', 'auth.getStrategies', 'server.info',
  'server.now', 'server.adminExists', 'server.healthCheck', 'security.createRestrictedUser', 'security.createFirstAdmin',
]; // prettier-ignore
/** Callable by everyone, since they look at no token or do nothing any more. */
const FOR_ALL = ['auth.login', 'auth.checkToken', 'security.createFirstAdmin', 'client.hello'];
/** Judged by what they act on: without a scroll, room, ticket or list of subscriptions there is nothing to judge. */
const BY_HANDLE = [
  'document.scroll',
  'realtime.join',
  'realtime.count',
  'realtime.presence',
  'realtime.unsubscribe',
  'realtime.unfollow',
  'realtime.resume',
  'realtime.changes',
  'server.getBackupFile',
];
/** Judged as `server.info`: what they tell is what it tells. */
const AS_INFO = ['server.openapi', 'server.asyncapi'];
/** Allowed with every valid token, whatever roles say. */
const FOR_EVERY_TOKEN = ['auth.logout'];
/** For every user but the anonymous one, whatever roles say: they concern the user's own named subscriptions. */
const FOR_EVERY_USER = ['realtime.ack', 'realtime.listNames', 'realtime.deleteName'];
/** Need the profile `admin`, whatever roles say. */
const FOR_ADMINISTRATORS = [
  'server.getConfig',
  'server.getLogs',
  'server.backup',
  'server.downloadBackup',
  'server.move',
  'server.moveState',
  'server.cancelMove',
  'index.refreshInternal',
  'security.getUserMapping',
  'security.updateUserMapping',
  'security.explainRights',
  'collection.getUserMapping',
  'collection.updateUserMapping',
];
const OF_DEFAULT = ['auth.updateSelf', 'auth.refreshToken'];

interface Listed {
  readonly name: string;
  readonly controller: string;
  readonly action: string;
  readonly routes: readonly { readonly method: string; readonly path: string }[];
}

/** The matrix of roles and actions (SEC-30) is generated from the server's own description. */
describe('every action × every kind of user', () => {
  let server: SecuredServer;
  let listed: readonly Listed[];
  let decided: readonly Listed[];
  let index: string;
  beforeAll(async () => {
    server = await startSecured();
    index = fresh('matrix');
    listed = [...server.started.kernel.actions].map(({ controller, action, routes }) => ({
      controller,
      action,
      routes,
      name: `${controller}.${action}`,
    }));
    const otherwise = [...FOR_ALL, ...BY_HANDLE, ...AS_INFO, ...FOR_EVERY_TOKEN, ...FOR_EVERY_USER];
    decided = listed.filter(({ name }) => !otherwise.includes(name));
  });
  afterAll(() => server.close());

  const send = ({ controller, action }: Listed, jwt: string | null) =>
    server.message({ controller, action, index, collection: 'docs', _id: 'nobody', body: {}, jwt });
  /** Refused for want of a right, and not for anything else. */
  const isDenied = (status: number, id: string) => status === 403 && id === 'security.forbidden';
  /** Actions that end the token they come with get one that may end. */
  const tokenFor = ({ name }: Listed, { id, password, jwt }: Account) =>
    ['auth.logout', 'auth.refreshToken'].includes(name) ? server.token(id, password) : jwt;

  it('covers every action that server.info lists, and those without a route', async () => {
    const { serverInfo } = await server.result('GET', '/_serverInfo');
    const { api } = (serverInfo as Record<string, { api: { routes: JsonObject } }>).millrace ?? {
      api: { routes: {} },
    };
    const announced = Object.entries(api.routes).flatMap(([controller, actions]) =>
      Object.keys(actions as JsonObject).map((action) => `${controller}.${action}`),
    );
    expect(announced.length).toBeGreaterThan(100);
    const names = listed.map(({ name }) => name);
    const underAlias = names.filter((name) => name.startsWith('memoryStorage.'));
    const twice = underAlias.map((name) => name.replace('memoryStorage', 'ms'));
    expect(announced.sort()).toEqual([...names, ...twice].sort());
    const named = [...PUBLIC, ...FOR_ALL, ...BY_HANDLE, ...AS_INFO, ...FOR_EVERY_TOKEN, ...FOR_EVERY_USER];
    for (const name of [...named, ...FOR_ADMINISTRATORS, ...OF_DEFAULT]) expect(names).toContain(name);
  });

  it.each(AS_INFO)('%s is for those who may call server.info, and has no separate right', async (name) => {
    const action = listed.find((each) => each.name === name) as Listed;
    const reader = await server.account(flatRole({ server: ['info'] }));
    const namesake = await server.account(flatRole({ server: [action.action, 'now'] }));
    const statuses = [null, reader.jwt, namesake.jwt].map(async (jwt) => (await send(action, jwt)).status);
    expect(await Promise.all(statuses)).toEqual([200, 200, 403]);
  });

  it('the built-in roles of users grant no command of the whole memory store (MEM-62)', async () => {
    const commands = ['flushdb', 'keys', 'save', 'info', 'bgsave', 'bgrewriteaof'];
    for (const role of ['default', 'anonymous']) {
      const { _source } = await server.result('GET', `/roles/${role}`);
      const { controllers } = _source as { readonly controllers: JsonObject };
      expect(Object.keys(controllers).filter((name) => ['*', 'ms', 'memoryStorage'].includes(name))).toEqual([]);
    }
    const names = listed.map(({ name }) => name);
    for (const command of commands) expect(names).toContain(`memoryStorage.${command}`);
  });

  it('anonymous callers see no processor, memory and plugin details in server.info (DOC-62)', async () => {
    const details = async (jwt: string | null) => {
      const { serverInfo } = await server.result('GET', '/_serverInfo', { jwt });
      const { millrace, services } = serverInfo as Readonly<Record<string, JsonObject>>;
      const { memoryUsed, memoryPeak } = services?.['memoryStorage'] as JsonObject;
      const shown = ['memoryUsed', 'plugins', 'system'].filter((key) => Object.hasOwn(millrace ?? {}, key));
      return [...shown, ...(memoryUsed === null ? [] : ['used']), ...(memoryPeak === null ? [] : ['peak'])];
    };
    const reader = await server.account(flatRole({ server: ['info'] }));
    expect(await details(null)).toEqual([]);
    expect(await details(reader.jwt)).toEqual(['memoryUsed', 'plugins', 'system', 'used', 'peak']);
  });

  it.each(FOR_EVERY_TOKEN)('%s needs a valid token and no right', async (name) => {
    const action = listed.find((each) => each.name === name) as Listed;
    const { jwt } = await server.account(flatRole({ document: [] }));
    expect((await send(action, null)).status).toBe(401);
    expect((await send(action, jwt)).status).toBe(200);
  });

  it.each(FOR_EVERY_USER)('%s needs a login and no right', async (name) => {
    const action = listed.find((each) => each.name === name) as Listed;
    const { jwt } = await server.account(flatRole({ document: [] }));
    const call = (token: string | null) =>
      server.message({ ...action, routes: null, name: 'none', cursor: 'none', jwt: token });
    expect((await call(null)).error.id).toBe('realtime.name_needs_user');
    expect([200, 404, 409]).toContain((await call(jwt)).status);
  });

  it('anonymous callers may do what is public, and nothing else: 401', async () => {
    for (const action of decided) {
      const { status, error } = await send(action, null);
      const wanted = PUBLIC.includes(action.name) ? 'allowed' : 'auth.login_needed';
      expect([action.name, status === 401 ? error.id : 'allowed']).toEqual([action.name, wanted]);
    }
  });

  it('a user without rights may do nothing: 403', async () => {
    const low = await server.account(flatRole({ document: [] }));
    for (const action of decided) {
      const { status, error } = await send(action, low.jwt);
      expect([action.name, isDenied(status, error.id)]).toEqual([action.name, true]);
    }
  });

  it('over every HTTP route, neither may do more', async () => {
    const low = await server.account(flatRole({ document: [] }));
    for (const { name, routes } of decided) {
      for (const { method, path } of routes) {
        const target = path
          .replace(/:index/, index)
          .replace(/:collection/, 'docs')
          .replaceAll(/:\w+/g, 'x');
        const call = (jwt: string | null) =>
          server.http(method, target, { jwt, ...(method === 'GET' ? {} : { body: {} }) });
        const described = `${name} ${method} ${path}`;
        expect([described, (await call(low.jwt)).status]).toEqual([described, 403]);
        const { status } = await call(null);
        expect([described, status === 401]).toEqual([described, !PUBLIC.includes(name)]);
      }
    }
  });

  it('a user with every right is refused nothing for want of a right', async () => {
    const all = await server.account(flatRole({ '*': ['*'] }));
    for (const action of listed) {
      const { status, error } = await send(action, await tokenFor(action, all));
      expect([action.name, status < 500]).toEqual([action.name, true]);
      const isRefused = isDenied(status, error.id) || status === 401;
      const wanted = FOR_ADMINISTRATORS.includes(action.name);
      expect([action.name, isRefused]).toEqual([action.name, wanted]);
    }
  });

  it('a user with one right may do that and nothing else', async () => {
    const made = await server.account(flatRole({ document: [] }));
    for (const [i, action] of decided.entries()) {
      const role = flatRole({ [action.controller]: [action.action] });
      await server.result('PUT', `/roles/${made.roleId}`, { body: role });
      const { status, error } = await send(action, await tokenFor(action, made));
      expect([action.name, isDenied(status, error.id)]).toEqual([
        action.name,
        FOR_ADMINISTRATORS.includes(action.name),
      ]);
      // The neighbours in the list, and one far away: all of them would be the square of the list.
      for (const step of [1, decided.length - 1, 37]) {
        const other = decided[(i + step) % decided.length] ?? action;
        if (other.name === action.name) continue;
        const answer = await send(other, made.jwt);
        expect([action.name, other.name, isDenied(answer.status, answer.error.id)]).toEqual([
          action.name,
          other.name,
          true,
        ]);
      }
    }
  });

  it('a right to every action of a controller reaches no other controller', async () => {
    const made = await server.account(flatRole({ document: [] }));
    for (const controller of new Set(decided.map((action) => action.controller))) {
      await server.result('PUT', `/roles/${made.roleId}`, {
        body: flatRole({ [controller]: ['*'] }),
      });
      for (const other of decided.filter((action) => action.controller !== controller)) {
        const { status, error } = await send(other, made.jwt);
        expect([controller, other.name, isDenied(status, error.id)]).toEqual([controller, other.name, true]);
      }
    }
  });

  it('an exact false wins over every wildcard, under every spelling of the controller', async () => {
    const made = await server.account(flatRole({ document: [] }));
    const body = {
      controllers: {
        '*': { actions: { '*': true } },
        memoryStorage: { actions: { '*': true, ping: false } },
        index: { actions: { '*': true, list: false } },
        server: { actions: { '*': true, now: false } },
      },
    };
    await server.result('PUT', `/roles/${made.roleId}`, { body });
    for (const [controller, action] of [
      ['memoryStorage', 'ping'],
      ['ms', 'ping'],
      ['index', 'list'],
      ['admin', 'list'],
      ['server', 'now'],
      ['admin', 'now'],
    ] as const) {
      const { status } = await server.message({ controller, action, jwt: made.jwt, index: null });
      // `admin` stands for collection before index, so admin.list is collection.list, which wants an index.
      const wanted = controller === 'admin' && action === 'list' ? 400 : 403;
      expect([controller, action, status]).toEqual([controller, action, wanted]);
    }
  });

  it('a right under the name admin is no right to what it stands for', async () => {
    const made = await server.account(flatRole({ admin: ['*'] }));
    for (const [controller, action] of [
      ['server', 'now'],
      ['admin', 'now'],
      ['index', 'create'],
      ['admin', 'getLastStats'],
    ] as const) {
      const { status } = await server.message({ controller, action, index, jwt: made.jwt });
      expect([controller, action, status]).toEqual([controller, action, 403]);
    }
  });

  it.each(['ms', 'memoryStorage'])('a right under the name %s is one to both names', async (name) => {
    const { jwt } = await server.account(flatRole({ [name]: ['ping'] }));
    for (const controller of ['ms', 'memoryStorage']) {
      expect(await server.message({ controller, action: 'ping', jwt })).toMatchObject({
        status: 200,
      });
      expect(await server.message({ controller, action: 'dbsize', jwt })).toMatchObject({
        status: 403,
      });
    }
  });

  it('the profile default gives its few rights and no others', async () => {
    const made = await server.account(flatRole({ document: [] }));
    await server.result('POST', `/users/${made.id}`, { body: { profileIds: ['default'] } });
    const allowed = [...PUBLIC.filter((name) => !name.startsWith('security.')), ...OF_DEFAULT];
    for (const action of decided) {
      const { status, error } = await send(action, await tokenFor(action, made));
      expect([action.name, isDenied(status, error.id)]).toEqual([action.name, !allowed.includes(action.name)]);
    }
  });
});
