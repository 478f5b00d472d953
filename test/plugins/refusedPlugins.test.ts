import { describe, expect, it } from 'vitest';
import { defineAction, definePlugin, route, type Plugin, type PluginHost } from '@millrace/kernel';
import { startKernel } from '../startKernel.js';

const plugin = (name: string, setup: (host: PluginHost) => void, more: Partial<Plugin> = {}) =>
  definePlugin({ name, kernel: '^0.1.0', setup, ...more });
const action = (controller: string, name: string, ...routes: Parameters<typeof route>[0][]) =>
  defineAction({
    controller,
    action: name,
    summary: '',
    routes: routes.map(route),
    args: {},
    writes: false,
    run: () => null,
  });
const brings = (...actions: ReturnType<typeof action>[]) => plugin('doors', (host) => host.controller(actions));
const pipes = (actions: string) =>
  plugin('doors', (host) => host.pipe({ when: 'before', actions, run: () => undefined }));
const first = plugin(
  'first',
  (host) => {
    host.controller([action('first', 'open', 'GET /_first/:name')]);
    host.strategy({ name: 'key', verify: () => null });
  },
  { config: { shared: { a: { doc: '', format: 'nat', default: 1 } } } },
);

describe('what a plugin registers wrongly is refused at start', () => {
  it.each<[string, Plugin, RegExp]>([
    [
      'an action of the server',
      brings(action('document', 'create')),
      /action document\.create exists already: it belongs to the core service "storage"/,
    ],
    [
      'an action of another plugin',
      brings(action('first', 'open')),
      /action first\.open exists already: it belongs to plugin "first"/,
    ],
    [
      'a route of the server',
      brings(action('doors', 'now', 'GET /_now')),
      /route GET \/_now of doors\.now exists already: it belongs to server\.now of the core service "server"/,
    ],
    [
      'a route with other names of parameters',
      brings(action('doors', 'get', 'GET /:a/:b/:c')),
      /route GET \/:a\/:b\/:c of doors\.get exists already: it belongs to document\.get of the core service "storage"/,
    ],
    [
      'another spelling of a route',
      brings(action('doors', 'user', 'GET /_users/:id')),
      /it belongs to security\.getUser of the core service "security"/,
    ],
    [
      'a route of another plugin',
      brings(action('doors', 'x', 'GET /_first/:door')),
      /it belongs to first\.open of plugin "first"/,
    ],
    [
      'two actions with one route',
      brings(action('doors', 'x', 'GET /_x'), action('doors', 'y', 'GET /_x')),
      /it belongs to doors\.x of plugin "doors"/,
    ],
    [
      'a strategy of another plugin',
      plugin('doors', (host) => host.strategy({ name: 'key', verify: () => null })),
      /strategy "key" exists already: it belongs to plugin "first"/,
    ],
    [
      'files in place of a route of the server',
      plugin('doors', (host) => host.files({ path: '/_now', folder: '/tmp' })),
      /its files at \/_now would hide route GET \/_now of server\.now of the core service "server"/,
    ],
    [
      'files at a path that is no segment with an underscore',
      plugin('doors', (host) => host.files({ path: '/doors', folder: '/tmp' })),
      /the "path" of files must be one segment that begins with "_", such as "\/_shop", got "\/doors"/,
    ],
    [
      'files twice at one path',
      plugin('doors', (host) => ['/a', '/b'].forEach((folder) => host.files({ path: '/_doors', folder }))),
      /path "\/_doors" exists already: it belongs to plugin "doors"/,
    ],
    [
      'files for an invalid address',
      plugin('doors', (host) => host.files({ path: '/_doors', folder: '/tmp', allow: 'everyone' })),
      /the "allow" of the files at \/_doors must be addresses or CIDR ranges/,
    ],
    [
      'files with a screen that may run actions of auth',
      plugin('doors', (host) =>
        host.files({ path: '/_doors', folder: '/srv', screen: { title: 'Doors', actions: ['auth.refreshToken'] } }),
      ),
      /the "actions" of the screen at \/_doors must be at most 100 names .* none of "auth"/,
    ],
    [
      'files with a screen without a title',
      plugin('doors', (host) => host.files({ path: '/_doors', folder: '/srv', screen: { title: '', actions: [] } })),
      /the "title" of the screen at \/_doors must be a string of 1 to 40 characters/,
    ],
    [
      'an engine of the server',
      plugin('doors', (host) => host.engine('storage', 'sqlite', () => ({}) as never)),
      /storage engine "sqlite" exists already: it belongs to the server/,
    ],
    [
      'a section of the server',
      plugin('doors', () => undefined, { config: { http: { port: { doc: '', format: 'port', default: 1 } } } }),
      /configuration section "http" exists already: it belongs to the server/,
    ],
    [
      'a section of another plugin',
      plugin('doors', () => undefined, { config: { shared: { b: { doc: '', format: 'nat', default: 1 } } } }),
      /configuration section "shared" exists already: it belongs to plugin "first"/,
    ],
    [
      'a pipe on a misspelt action',
      pipes('documnet.create'),
      /its pipe names "documnet\.create", which no action has; did you mean document\.create\?/,
    ],
    ['a pipe on a misspelt controller', pipes('documents.*'), /did you mean document\.\*\?/],
    [
      'a pipe on an action that is nowhere',
      pipes('castles.storm'),
      /its pipe names "castles\.storm", which no action has$/,
    ],
    [
      'a misspelt event',
      plugin('doors', (host) => host.hook('request.endde' as never, () => undefined)),
      /there is no event "request\.endde"; did you mean request\.ended\?/,
    ],
    [
      'a pipe of writes on a malformed place',
      plugin('doors', (host) =>
        host.pipe({ when: 'document.beforeWrite', collections: 'library', run: () => undefined }),
      ),
      /the "collections" of a pipe must be "index\/collection", "index\/\*" or "\*"/,
    ],
  ])('%s', async (_, wrong, reason) => {
    const start = startKernel({ plugins: [first, wrong] });
    await expect(start).rejects.toThrow(/^Plugin "doors" is refused/);
    await expect(start).rejects.toThrow(reason);
  });

  it.each(['*', 'document.*', 'document.create', 'first.open'])('a pipe may name %s', async (actions) =>
    (await startKernel({ plugins: [first, pipes(actions)] })).close(),
  );
});
