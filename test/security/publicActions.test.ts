import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineAction, definePlugin, route, type JsonObject } from '@millrace/kernel';
import { startKernel } from '../startKernel.js';
import { flatRole, startSecured, type SecuredServer } from './securedServer.js';

const action = (name: string, access?: 'public') =>
  defineAction({
    controller: 'magic',
    action: name,
    summary: '',
    routes: [route(`POST /_magic/${name}`)],
    args: {},
    ...(access === undefined ? {} : { access }),
    writes: false,
    run: () => name,
  });
const magic = definePlugin({
  name: 'magic',
  kernel: '^0.1.0',
  setup: (host) => host.controller([action('send', 'public'), action('list')]),
});

describe('public actions of a plugin', () => {
  let server: SecuredServer;
  beforeAll(async () => {
    server = await startSecured({}, { plugins: [magic] });
  });
  afterAll(() => server.close());

  const statuses = async (jwt: string | null) => [
    (await server.http('POST', '/_magic/send', { jwt })).status,
    (await server.http('POST', '/_magic/list', { jwt })).status,
  ];
  /** Changes what the role says of the controller. */
  const say = async (roleId: string, actions: Record<string, boolean> | null) => {
    const { _source } = await server.result('GET', `/roles/${roleId}`);
    const { controllers } = _source as { readonly controllers: Record<string, JsonObject> };
    const others = Object.entries(controllers).filter(([name]) => name !== 'magic');
    const own = actions === null ? [] : [['magic', { actions }]];
    const body = { controllers: Object.fromEntries([...others, ...own]) as JsonObject };
    await server.result('PUT', `/roles/${roleId}`, { body });
  };

  it('anybody may run after the lock-down, and nothing else of the plugin', async () => {
    expect(await statuses(null)).toEqual([200, 401]);
    const { jwt } = await server.account(flatRole({ document: ['get'] }));
    expect(await statuses(jwt)).toEqual([200, 403]);
    expect(await statuses(server.adminJwt)).toEqual([200, 200]);
  });

  it('a role that names one decides for its users', async () => {
    await say('anonymous', { send: false });
    expect(await statuses(null)).toEqual([401, 401]);
    await say('anonymous', { send: true, list: true });
    expect(await statuses(null)).toEqual([200, 200]);
    // `*` speaks of everything else, not of it.
    await say('anonymous', { '*': false });
    expect(await statuses(null)).toEqual([200, 401]);
    await say('anonymous', null);
    const denied = await server.account({ controllers: { magic: { actions: { send: false } } } });
    expect(await statuses(denied.jwt)).toEqual([403, 403]);
  });

  it('are closed before the first administrator where the server is not open', async () => {
    const config = { http: { port: 0 }, security: { openUntilFirstAdmin: false } };
    const closed = await startKernel({ config, plugins: [magic] });
    try {
      expect((await closed.ask('POST', '/_magic/send')).status).toBe(401);
    } finally {
      await closed.close();
    }
  });
});
