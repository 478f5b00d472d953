import { createServer, type Server } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import {
  defineAction,
  definePlugin,
  type AuthStrategy,
  type Logger,
  type Plugin,
  type PluginHost,
  type Protocol,
  type ProtocolHost,
} from '@millrace/kernel';
import { websocket } from '@millrace/protocol-websocket';
import { connectWebsocket } from '../wire/clients/connectWebsocket.js';
import { startKernel, type StartedKernel } from '../startKernel.js';

/* The table of docs/guide/plugin-author.md, row by row, in addition to test/plugins/faultyPlugins.test.ts. */

const plugin = (setup: (host: PluginHost) => unknown): Plugin =>
  definePlugin({ name: 'faulty', kernel: '^0.1.0', setup: (host) => setup(host) as void });
const never = () => new Promise<never>(() => undefined);
// What no type allows and JavaScript gives all the same.
const odd = (value: unknown) => value as never;

const ADDRESS = { host: '127.0.0.1', port: 1, url: 'odd://127.0.0.1:1' };
const oddProtocol = (more: object = {}): Protocol => ({
  name: 'odd',
  start: async () => ADDRESS,
  stop: async () => undefined,
  ...more,
});

describe('plugins that misbehave', () => {
  const started: StartedKernel[] = [];
  const logged: string[] = [];
  const log: Logger = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: (_, message) => logged.push(message),
    child: () => log,
  };
  afterEach(async () => {
    for (const kernel of started.splice(0)) await kernel.close();
    logged.length = 0;
  });
  const start = async (setup: (host: PluginHost) => unknown, options: Parameters<typeof startKernel>[0] = {}) => {
    const plugins = [plugin(setup), ...(options.plugins ?? [])];
    const kernel = await startKernel({ logger: log, ...options, plugins });
    started.push(kernel);
    return kernel;
  };

  describe('setup', () => {
    it('a setup that never ends stops the start after server.startTimeoutMs, and is named', async () => {
      const limits = { server: { startTimeoutMs: 2_000 } };
      await expect(start(never, limits)).rejects.toThrow(/"faulty".*setup took longer than 2000 ms/);
    });

    it.each([7, 'x', null, [], () => 1, Symbol('x')])('a setup that returns %s is taken as it is', async (value) => {
      const { ask } = await start(() => value);
      expect((await ask('GET', '/_now')).status).toBe(200);
    });

    it.each<[string, (host: PluginHost) => void]>([
      ['a pipe that is none', (host) => host.pipe(odd(null))],
      ['a pipe without a time', (host) => host.pipe(odd({ actions: '*', run: () => undefined }))],
      ['a pipe without actions', (host) => host.pipe(odd({ when: 'before', run: () => undefined }))],
      ['a pipe without run', (host) => host.pipe(odd({ when: 'after', actions: '*' }))],
      ['a hook that is no function', (host) => host.hook('request.ended', odd('log'))],
      ['a strategy without a name', (host) => host.strategy(odd({ verify: () => null }))],
      ['a strategy that can not verify', (host) => host.strategy({ name: 'empty' })],
      ['a strategy with a passport that is none', (host) => host.strategy(odd({ name: 'x', passport: {} }))],
      ['a protocol without a name', (host) => host.protocol(odd({ start: never, stop: never }))],
      ['a protocol that can not stop', (host) => host.protocol(odd({ name: 'x', start: never }))],
      [
        'a notifier that can not tell',
        (host) => host.protocol(oddProtocol({ notifier: { join() {}, leave() {}, publish() {} } })),
      ],
      ['actions that are no list', (host) => host.controller(odd({ a: 1 }))],
      ['an action that is none', (host) => host.controller([odd(undefined)])],
      [
        'an action without run',
        (host) => host.controller([odd({ controller: 'a', action: 'b', routes: [], args: {} })]),
      ],
      [
        'an action without args',
        (host) => host.controller([odd({ controller: 'a', action: 'b', routes: [], run: () => 1 })]),
      ],
      [
        'an action with a route that is none',
        (host) => host.controller([odd({ controller: 'a', action: 'b', routes: ['GET /'], args: {}, run: () => 1 })]),
      ],
      ['an engine that is no function', (host) => host.engine('storage', 'mine', odd({}))],
      ['a service that is none', (host) => host.service(Symbol('x'), odd(7))],
      ['an onStop that is no function', (host) => host.onStop(odd(undefined))],
    ])('a setup that registers %s stops the start, and is named', async (_, setup) => {
      await expect(start(setup)).rejects.toMatchObject({
        id: 'core.plugin_refused',
        message: expect.stringMatching(/^Plugin "faulty" is refused: .*(a|an) \w+/) as string,
      });
    });
  });

  describe('hook', () => {
    it.each([7, null, {}, 'x', { then: 'no function' }])('a hook that returns %j is ignored', async (value) => {
      const { ask } = await start((host) => host.hook('request.ended', () => value));
      expect((await ask('GET', '/_now')).status).toBe(200);
      expect(logged).toEqual([]);
    });

    it('whose promise is a trap, or whose rejection comes late, is logged and no other plugin is affected', async () => {
      const { ask } = await start(
        (host) => {
          host.hook('request.ended', () => ({
            then: () => {
              throw new Error('trap');
            },
          }));
          host.hook('request.ended', async () => {
            await new Promise((resolve) => setTimeout(resolve, 60));
            throw new Error('late');
          });
        },
        { server: { pluginTimeoutMs: 20 } },
      );
      for (let n = 0; n < 3; n++) expect((await ask('GET', '/_now')).status).toBe(200);
      const failures = () => logged.filter((line) => line === 'hook failed').length;
      await expect.poll(failures).toBeGreaterThanOrEqual(9);
      expect((await ask('GET', '/_now')).status).toBe(200);
    });

    it('can not change what it sees of a response that has been made', async () => {
      const { ask } = await start((host) =>
        host.hook('request.started', ({ request }) => {
          try {
            Object.assign(request, { connection: null, requestId: null });
          } catch {
            // Frozen or not: the server must go on.
          }
        }),
      );
      await ask('GET', '/_now');
      const { kernel } = started[0] as StartedKernel;
      expect((await kernel.execute({ controller: 'server', action: 'adminExists' })).status).toBeLessThan(600);
    });
  });

  describe('pipe', () => {
    it.each([7, 'x', {}, [], { args: {}, body: {} }, () => 1])(
      'before that returns %s fails that request alone, naming the plugin',
      async (value) => {
        const { ask } = await start((host) =>
          host.pipe({ when: 'before', actions: 'server.now', run: () => odd(value) }),
        );
        const answer = await ask('GET', '/_now');
        expect([answer.status, answer.body.error]).toEqual([
          500,
          expect.objectContaining({ id: 'core.plugin_failed', message: expect.stringContaining('faulty') as string }),
        ]);
        expect((await ask('GET', '/_adminExists')).status).toBe(200);
      },
    );

    it.each([() => 1, Symbol('x'), 7n])('after that returns %s fails that request alone', async (value) => {
      const { ask } = await start((host) => host.pipe({ when: 'after', actions: 'server.now', run: () => odd(value) }));
      expect((await ask('GET', '/_now')).body.error).toMatchObject({ id: 'core.plugin_failed' });
      expect((await ask('GET', '/_adminExists')).status).toBe(200);
    });
  });

  describe('action', () => {
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    it.each([
      ['a circle', circular],
      ['a bigint', { n: 7n }],
      [
        'a value with a toJSON that throws',
        {
          toJSON: () => {
            throw new Error('secret');
          },
        },
      ],
    ])('whose result is %s is answered 500 on every protocol, and the connection lives on', async (_, value) => {
      const bad = defineAction({
        controller: 'faulty',
        action: 'odd',
        summary: '',
        routes: [{ method: 'GET', path: '/_odd' }],
        args: {},
        writes: false,
        run: () => odd(value),
      });
      const kernel = await start((host) => host.controller([bad]), { plugins: [websocket({ port: 0 })] });
      const overHttp = await kernel.ask('GET', '/_odd');
      expect([overHttp.status, overHttp.text.includes('secret')]).toEqual([500, false]);
      const addresses = await kernel.kernel.start();
      const client = await connectWebsocket(addresses.find(({ protocol }) => protocol === 'websocket')?.url ?? '');
      expect((await client.request({ controller: 'faulty', action: 'odd' })).status).toBe(500);
      expect((await client.request({ controller: 'server', action: 'now' })).status).toBe(200);
      client.close();
    });
  });

  describe('strategy', () => {
    const login = (verify: AuthStrategy['verify'], more: object = {}) =>
      start((host) => host.strategy({ name: 'odd', ...(verify && { verify }), ...more }), {
        config: {
          http: { port: 0 },
          security: { login: { strategyTimeoutMs: verify === never ? 150 : 30_000 } },
        },
      });
    it.each<[string, AuthStrategy['verify'], number, string]>([
      [
        'throws',
        () => {
          throw new Error('secret');
        },
        500,
        'core.plugin_failed',
      ],
      ['rejects', () => Promise.reject(new Error('secret')), 500, 'core.plugin_failed'],
      [
        'throws what is no error',
        () => {
          const secret: unknown = 'secret';
          throw secret;
        },
        500,
        'core.plugin_failed',
      ],
      ['never ends', never, 504, 'core.plugin_timeout'],
      ['returns a number', () => odd(7), 500, 'core.plugin_failed'],
      ['returns an empty user', () => odd({ userId: '' }), 500, 'core.plugin_failed'],
      ['returns a user with a number', () => odd({ userId: 7 }), 500, 'core.plugin_failed'],
      ['returns true', () => odd(true), 500, 'core.plugin_failed'],
      ['names a user who does not exist', () => ({ userId: 'nobody' }), 401, 'auth.wrong_credentials'],
      ['names an odd user', () => ({ userId: '../\u0000' }), 401, 'auth.wrong_credentials'],
    ])('a strategy that %s fails that login alone', async (_, verify, status, id) => {
      const { ask } = await login(verify);
      const answer = await ask('POST', '/_login/odd', { a: 1 });
      expect([answer.status, answer.body.error]).toEqual([status, expect.objectContaining({ id })]);
      expect(answer.text).not.toContain('secret');
      expect((await ask('GET', '/_now')).status).toBe(200);
    });

    it.each<[string, AuthStrategy['accountOf']]>([
      [
        'throws',
        () => {
          throw new Error('x');
        },
      ],
      ['returns nonsense', () => odd({ a: 1 })],
    ])('whose accountOf %s still answers', async (_, accountOf) => {
      const { ask } = await login(() => null, { accountOf });
      const answer = await ask('POST', '/_login/odd', { a: 1 });
      expect([401, 500]).toContain(answer.status);
      expect((await ask('GET', '/_now')).status).toBe(200);
    });
  });

  describe('protocol', () => {
    it.each<[string, Partial<Protocol>]>([
      [
        'throws',
        {
          start: () => {
            throw new Error('no luck');
          },
        },
      ],
      ['rejects', { start: () => Promise.reject(new Error('no luck')) }],
      ['never ends', { start: never }],
      ['gives nothing', { start: async () => odd(undefined) }],
      ['gives no address', { start: async () => odd({ url: 7 }) }],
    ])('whose start %s stops the start, is named, and leaves nothing open', async (_, more) => {
      const reserved = await takePort();
      const port = reserved.port;
      await reserved.close();
      const options = {
        server: more.start === never ? { startTimeoutMs: 5_000 } : {},
        config: { http: { port } },
      };
      await expect(start((host) => host.protocol(oddProtocol(more)), options)).rejects.toThrow(/protocol odd/);
      const again = await takePort(port);
      await again.close();
    });

    it('a protocol that dispatches nonsense, and counts nonsense as connections, gets answers and affects no client', async () => {
      let given: ProtocolHost | undefined;
      const { ask } = await start((host) =>
        host.protocol(
          oddProtocol({
            start: async (own: ProtocolHost) => {
              given = own;
              return ADDRESS;
            },
          }),
        ),
      );
      const own = given as ProtocolHost;
      const connection = { id: '1', protocol: 'odd', remoteAddress: '' };
      for (const value of [undefined, null, 7, 'x', {}, []]) {
        expect((await own.dispatch(odd(value))).message).toMatchObject({
          status: 400,
          error: { id: 'api.invalid_request' },
        });
        const { message } = await own.dispatch(own.createRequest(odd(value), connection));
        expect([400, 404]).toContain(message.status);
        own.connectionOpened(odd(value));
        own.connectionClosed(odd(value));
      }
      expect((await ask('GET', '/_now')).status).toBe(200);
      expect((await ask('GET', '/_getLastStats')).status).toBe(200);
    });

    it('whose notifier throws is logged; subscribers on other protocols receive everything', async () => {
      let given: ProtocolHost | undefined;
      const fail = () => {
        throw new Error('broken');
      };
      const notifier = { join: fail, leave: fail, publish: fail, notify: fail };
      const kernel = await start(
        (host) =>
          host.protocol(
            oddProtocol({
              notifier,
              start: async (own: ProtocolHost) => {
                given = own;
                return ADDRESS;
              },
            }),
          ),
        { plugins: [websocket({ port: 0 })] },
      );
      const addresses = await kernel.kernel.start();
      const client = await connectWebsocket(addresses.find(({ protocol }) => protocol === 'websocket')?.url ?? '');
      const subscribe = { controller: 'realtime', action: 'subscribe', index: 'i', collection: 'c', body: {} };
      const own = given as ProtocolHost;
      const connection = { id: 'odd-1', protocol: 'odd', remoteAddress: '' };
      own.connectionOpened(connection);
      const answer = await own.dispatch(own.createRequest(subscribe, connection));
      expect(answer.message.status).toBeLessThan(600);
      const { result } = await client.request(subscribe);
      const received = await client.receive((result as { channel: string }).channel);
      const publish = { controller: 'realtime', action: 'publish', index: 'i', collection: 'c' };
      for (let n = 0; n < 3; n++) expect((await client.request({ ...publish, body: { n } })).status).toBe(200);
      await expect.poll(() => received.length).toBe(3);
      own.connectionClosed(connection);
      expect((await kernel.ask('GET', '/_now')).status).toBe(200);
      expect(logged).toContain('notifier failed');
      client.close();
    });

    it.each<[string, () => unknown]>([
      [
        'throws',
        () => {
          throw new Error('no');
        },
      ],
      ['rejects', () => Promise.reject(new Error('no'))],
      ['never ends', never],
      ['gives nonsense', () => 7],
    ])('whose stop %s, with an onStop that does, keeps no other plugin from stopping', async (_, stop) => {
      const kernel = await start(
        (host) => {
          host.protocol(oddProtocol({ stop }));
          host.onStop(odd(stop));
        },
        { server: { stopTimeoutMs: stop === never ? 1_000 : 30_000 } },
      );
      const { url } = kernel;
      started.pop();
      await kernel.close();
      await expect(fetch(`${url}/_now`)).rejects.toThrow();
    });
  });
});

async function takePort(wanted = 0): Promise<{ readonly port: number; close(): Promise<void> }> {
  const server: Server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(wanted, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { port, close: () => new Promise((resolve) => void server.close(() => resolve())) };
}
