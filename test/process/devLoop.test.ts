import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const CREATE = join(root, 'packages/create-millrace/bin/create-millrace.js');
const BIN = join(root, 'packages/server/bin/millrace-dev.js');
// Compilers on a busy machine.
const LONG_MS = 300_000;

describe.each(['ts', 'js'] as const)('npm run dev, in %s', (language) => {
  let folder = '';
  let child: ChildProcess | undefined;
  let output = '';
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'millrace-dev-')));
    output = '';
  });
  afterEach(async () => {
    if (child !== undefined && child.exitCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    await rm(folder, { recursive: true, force: true });
  }, LONG_MS);

  /** A project from a template, as after `npm install`. */
  const make = async (name: string, template: string) => {
    const args = [name, '--template', template, `--${language}`, '--yes'];
    await promisify(execFile)(process.execPath, [CREATE, ...args], { cwd: folder });
    const modules = join(folder, name, 'node_modules');
    await mkdir(join(modules, '@millrace'), { recursive: true });
    await mkdir(join(modules, '@types'), { recursive: true });
    for (const own of ['packages/kernel', 'packages/server', 'packages/testing', 'plugins/console'])
      await symlink(join(root, own), join(modules, '@millrace', basename(own)));
    for (const other of ['typescript', '@types/node'])
      await symlink(await realpath(join(root, 'node_modules', other)), join(modules, other));
  };
  const edit = async (file: string, from: string, to: string) => {
    const path = join(folder, `${file}.${language}`);
    const text = await readFile(path, 'utf8');
    expect(text).toContain(from);
    await writeFile(path, text.replace(from, to));
  };
  const dev = async (name: string) => {
    const manifest = JSON.parse(await readFile(join(folder, name, 'package.json'), 'utf8')) as {
      readonly scripts: { readonly dev: string };
    };
    const [command, ...args] = manifest.scripts.dev.split(' ');
    expect(command).toBe('millrace-dev');
    const free = Object.fromEntries(
      ['HTTP', 'WEBSOCKET', 'FALLBACK', 'MQTT'].map((each) => [`MILLRACE_${each}_PORT`, '0']),
    );
    child = spawn(process.execPath, [BIN, ...args], {
      cwd: join(folder, name),
      env: { ...process.env, ...free, NODE_OPTIONS: '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
  };
  /** Waits until the server that runs then answers so. */
  const answers = async (path: string, expected: string) => {
    for (let last = ''; ; await wait(100)) {
      if (child?.exitCode !== null) expect.fail(`ended: ${output}`);
      const url = [...output.matchAll(/listens on (http:\S+) \(http\)/g)].at(-1)?.[1];
      if (url === undefined) continue;
      last = await fetch(`${url}${path}`, { method: 'POST' }).then((it) => it.text(), String);
      if (last.includes(expected)) return;
    }
  };

  it(
    'of an app: its own edits run, and those of a linked plugin',
    async () => {
      await make('my-doors', 'plugin-controller');
      await make('my-app', 'app');
      await symlink('../../my-doors', join(folder, 'my-app/node_modules/my-doors'));
      const server = 'my-app/src/server';
      await edit(server, "from '@millrace/server';", "from '@millrace/server';\nimport { doors } from 'my-doors';");
      await edit(server, 'shippedPlugins(), ', 'shippedPlugins(), doors(), ');
      await dev('my-app');
      await answers('/_hello/Ada', 'Hello, Ada!');
      await edit('my-app/functions/greetings', 'Hello, ', 'Bonjour, ');
      await answers('/_hello/Ada', 'Bonjour, Ada!');
      await answers('/_doors/front/_open', '"degrees":90');
      await edit('my-doors/src/index', 'degrees = 90', 'degrees = 45');
      await answers('/_doors/front/_open', '"degrees":45');
      if (language === 'js') return;
      // Both have a src/index.ts or the like: lines of the compilers name the folder.
      for (const name of ['my-app', 'my-doors'])
        expect(output).toMatch(new RegExp(`^\\[${name}\\] .*Found 0 errors`, 'm'));
    },
    LONG_MS,
  );

  it(
    'of a plugin: a server with it, which restarts after an edit',
    async () => {
      await make('my-doors', 'plugin-controller');
      await dev('my-doors');
      await answers('/_doors/front/_open', '"degrees":90');
      await edit('my-doors/src/index', 'degrees = 90', 'degrees = 45');
      await answers('/_doors/front/_open', '"degrees":45');
    },
    LONG_MS,
  );
});
