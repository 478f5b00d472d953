import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const packages = fileURLToPath(new URL('../../packages/', import.meta.url));

const PLUGIN = `
import { definePlugin, defineAction, defineErrors, JsonText, Redirect, route, SECURITY } from '@millrace/kernel';
const errors = defineErrors('doors', { shut: { status: 409, message: () => 'The door is shut' } });
const action = (name, run) =>
  defineAction({ controller: 'doors', action: name, summary: '', routes: [route('GET /_doors/' + name)], args: {}, writes: false, run });
const security = {
  authenticate: () => ({ user: { _id: 'linked', profileIds: [] }, session: null }),
  authorize: () => undefined, authorizeTarget: () => undefined, isAllowed: () => true, userOf: () => null,
  adminExists: () => true, isOpen: () => false,
};
export const doors = definePlugin({
  name: 'my-doors',
  kernel: '*',
  setup(host) {
    host.service(SECURITY, security);
    host.pipe({ when: 'before', actions: 'server.now', run: () => { throw errors.shut({}); } });
    host.controller([
      action('open', () => { throw errors.shut({}); }),
      action('text', () => new JsonText('{"open":true}')),
      action('away', () => new Redirect('http://127.0.0.1/')),
      action('user', ({ request }) => request.user._id),
    ]);
  },
});`;

const SERVER = `
import { Kernel } from '@millrace/server';
import { doors } from 'my-doors';
const said = [];
const logger = { info: (fields, message) => said.push({ message, ...fields }), child: () => logger };
for (const level of ['trace', 'debug', 'warn', 'error', 'fatal']) logger[level] = () => undefined;
try {
  const kernel = new Kernel({ config: { http: { port: 0 }, server: { dataDir: 'data' } }, plugins: [doors], logger });
  await kernel.start();
  const answers = {};
  for (const [controller, action] of [['doors', 'open'], ['doors', 'text'], ['doors', 'away'], ['doors', 'user'], ['server', 'now']]) {
    const { status, error, result } = await kernel.execute({ controller, action });
    answers[action] = { status, id: error?.id ?? null, result };
  }
  await kernel.stop();
  console.log(JSON.stringify({ answers, copies: said.filter(({ message }) => message.includes('copy')) }));
} catch (error) {
  console.log(JSON.stringify({ refusal: error.message }));
}`;

/** `npm install ../my-doors`: a link to the plugin, whose own node_modules has a second copy of the kernel. */
describe('a linked plugin', () => {
  let folder = '';
  let copy = '';
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'millrace-linked-')));
    copy = join(folder, 'my-doors/node_modules/@millrace/kernel');
    const app = join(folder, 'app/node_modules');
    await mkdir(join(app, '@millrace'), { recursive: true });
    await mkdir(copy, { recursive: true });
    await symlink(join(packages, 'server'), join(app, '@millrace/server'));
    await symlink(join(folder, 'my-doors'), join(app, 'my-doors'));
    await cp(join(packages, 'kernel/dist'), join(copy, 'dist'), { recursive: true });
    await cp(join(packages, 'kernel/package.json'), join(copy, 'package.json'));
    await symlink(join(packages, 'kernel/node_modules'), join(copy, 'node_modules'));
    const manifest = { name: 'my-doors', type: 'module', exports: './index.js' };
    await writeFile(join(folder, 'my-doors/package.json'), JSON.stringify(manifest));
    await writeFile(join(folder, 'my-doors/index.js'), PLUGIN);
    await writeFile(join(folder, 'app/server.mjs'), SERVER);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const start = async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['server.mjs'], {
      cwd: join(folder, 'app'),
    });
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  /** As if a later version had been installed there. */
  const installVersion = async (version: string) => {
    for (const name of await readdir(join(copy, 'dist'))) {
      if (!name.endsWith('.js')) continue;
      const file = join(copy, 'dist', name);
      const code = await readFile(file, 'utf8');
      await writeFile(file, code.replace(/(VERSION\d* ?= ?)"0\.1\.0"/, `$1"${version}"`));
    }
  };

  it('works: its errors, tokens and results are those of the server; the log names both kernels', async () => {
    expect(await start()).toEqual({
      answers: {
        open: { status: 409, id: 'doors.shut', result: null },
        text: { status: 200, id: null, result: { open: true } },
        away: {
          status: 302,
          id: null,
          result: expect.objectContaining({ statusCode: 302 }) as unknown,
        },
        user: { status: 200, id: null, result: 'linked' },
        now: { status: 409, id: 'doors.shut', result: null },
      },
      copies: [
        expect.objectContaining({
          plugin: 'my-doors',
          kernel: { version: '0.1.0', path: join(copy, 'dist') },
          serverKernel: { version: '0.1.0', path: join(packages, 'kernel/dist') },
        }),
      ],
    });
  });

  it('works with a kernel of a compatible version', async () => {
    await installVersion('0.1.7');
    expect(await start()).toHaveProperty('answers.open.id', 'doors.shut');
  });

  it('is refused with a kernel of another version, naming both', async () => {
    await installVersion('0.2.0');
    const { refusal } = await start();
    expect(refusal).toContain('Plugin "my-doors" is refused: it uses @millrace/kernel 0.2.0');
    expect(refusal).toContain(join(copy, 'dist'));
    expect(refusal).toContain(`the server 0.1.0 (${join(packages, 'kernel/dist')})`);
  });
});
