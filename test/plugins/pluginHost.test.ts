import { afterEach, describe, expect, it } from 'vitest';
import {
  defineAction,
  defineErrors,
  definePlugin,
  required,
  route,
  SECURITY,
  text,
  type Plugin,
  type PluginHost,
  type Protocol,
  type ProtocolHost,
  type RequestFields,
  type Security,
} from '@millrace/kernel';
import { startKernel, type StartedKernel } from '../startKernel.js';

const errors = defineErrors('lock', {
  shut: { status: 403, message: (p: { door: string }) => `The door "${p.door}" is shut` },
});

const plugin = (name: string, setup: (host: PluginHost) => void, more: Partial<Plugin> = {}) =>
  definePlugin({ name, kernel: '^0.1.0', setup, ...more });

describe('what a plugin can bring', () => {
  const started: StartedKernel[] = [];
  const start = async (options: Parameters<typeof startKernel>[0]) => {
    const kernel = await startKernel(options);
    started.push(kernel);
    return kernel;
  };
  afterEach(async () => {
    for (const kernel of started.splice(0)) await kernel.close();
  });

  it('a controller: routes, messages, argument checks, server information', async () => {
    const doors = plugin('doors', (host) =>
      host.controller([
        defineAction({
          controller: 'doors',
          action: 'open',
          summary: 'Opens a door.',
          routes: [route('POST /_doors/:door')],
          args: { door: required(text()) },
          writes: false,
          run: ({ args }) => {
            if (args.door === 'cellar') throw errors.shut({ door: args.door });
            return { open: args.door };
          },
        }),
      ]),
    );
    const { ask, kernel } = await start({ plugins: [doors] });
    expect((await ask('POST', '/_doors/front')).body).toMatchObject({
      controller: 'doors',
      action: 'open',
      result: { open: 'front' },
    });
    expect((await ask('POST', '/_doors/cellar')).body).toMatchObject({
      status: 403,
      error: { id: 'lock.shut' },
    });
    const fields: RequestFields = { controller: 'doors', action: 'open' };
    const message = await kernel.execute(fields);
    expect(message).toMatchObject({ status: 400, error: { id: 'api.missing_argument' } });
    const { body } = await ask('GET', '/_serverInfo');
    expect(body.result).toMatchObject({
      serverInfo: {
        millrace: {
          plugins: { doors: {} },
          api: { routes: { doors: { open: { method: 'POST', route: '/_doors/:door' } } } },
        },
      },
    });
  });

  it('its configuration, from the tree, checked', async () => {
    let seen: unknown;
    const config = { doors: { limit: { doc: 'Doors at most', format: 'nat', default: 3 } } };
    const configured = plugin('doors', (host) => void (seen = host.config), { config });
    await start({ plugins: [configured], config: { http: { port: 0 }, doors: { limit: 7 } } });
    expect(seen).toEqual({ doors: { limit: 7 } });
    await expect(startKernel({ plugins: [configured], config: { doors: { limit: 'many' } } })).rejects.toThrow(
      /doors\.limit/,
    );
  });

  it('a service in place of the own one: security decides about every request', async () => {
    const security: Security = {
      authenticate: (request) => ({
        user: { _id: request.token ?? 'nobody', profileIds: [] },
        session: null,
      }),
      authorize: (request, action) => {
        if (action.writes && request.user._id !== 'writer') throw errors.shut({ door: 'store' });
      },
      authorizeTarget: () => undefined,
      isAllowed: () => true,
      userOf: () => null,
      adminExists: () => true,
      isOpen: () => false,
    };
    const guard = plugin('guard', (host) => host.service(SECURITY, security));
    const { ask } = await start({ plugins: [guard] });
    const create = (token: string) =>
      ask('POST', '/guarded/docs/_create', { a: 1 }, { authorization: `Bearer ${token}` });
    expect((await create('reader')).status).toBe(403);
    expect((await create('writer')).status).toBe(200);
    expect((await ask('GET', '/_adminExists')).body.result).toEqual({ exists: true });
    const info = (await ask('GET', '/_serverInfo')).text;
    expect(info).toContain('"cpus"');
  });

  it('hooks that see requests end, and execute for its requests', async () => {
    const seen: string[] = [];
    let host: PluginHost | undefined;
    const observer = plugin('observer', (given) => {
      host = given;
      given.hook('request.ended', ({ request, response }) => {
        seen.push(`${request.connection.protocol} ${request.action} ${response.message.status}`);
      });
    });
    const { ask } = await start({ plugins: [observer] });
    await ask('GET', '/_now');
    const message = await host?.execute({ controller: 'index', action: 'create', index: 'mine' });
    expect(message?.status).toBe(200);
    expect(seen).toEqual(['http now 200', 'program create 200']);
  });

  it('a protocol: started after the services, counted in the statistics, stopped first', async () => {
    const trace: string[] = [];
    let given: ProtocolHost | undefined;
    const connection = { id: '1', protocol: 'websocket', remoteAddress: '127.0.0.1' };
    const protocol: Protocol = {
      name: 'websocket',
      start: async (host) => {
        given = host;
        trace.push('start');
        host.connectionOpened(connection);
        return { host: '127.0.0.1', port: 1, url: 'ws://127.0.0.1:1' };
      },
      stop: async () => void trace.push('stop'),
    };
    const { ask, close } = await start({
      plugins: [
        plugin('ws', (host) => {
          host.protocol(protocol);
          host.onStop(() => void trace.push('onStop'));
        }),
      ],
    });
    const response = await given?.dispatch(given.createRequest({ controller: 'server', action: 'now' }, connection));
    expect(response?.message.status).toBe(200);
    const { body } = await ask('GET', '/_getLastStats');
    expect(body.result).toMatchObject({
      connections: { websocket: 1 },
      completedRequests: { websocket: 1 },
    });
    started.pop();
    await close();
    expect(trace).toEqual(['start', 'stop', 'onStop']);
  });

  it('nothing that another plugin or the server has: same protocol, same strategy', async () => {
    const strategy = { name: 'twice', verify: () => null };
    const twice = plugin('twice', (host) => {
      host.strategy(strategy);
      host.strategy(strategy);
    });
    await expect(startKernel({ plugins: [twice] })).rejects.toThrow(/"twice".*strategy "twice"/);
  });

  it('two kernels run side by side in one process', async () => {
    const [one, two] = [await start({}), await start({})];
    await one.ask('PUT', '/only-here');
    expect((await one.ask('GET', '/only-here/_exists')).body.result).toBe(true);
    expect((await two.ask('GET', '/only-here/_exists')).body.result).toBe(false);
  });
});
