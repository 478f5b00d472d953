import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
// Scripts are JavaScript.
// @ts-expect-error no declarations
import { installedPackages as packagesIn } from '../../scripts/installedPackages.mjs';
import { LocalRegistry } from './LocalRegistry.js';
import { runCommand } from './runCommand.js';
import { walkGuide } from './walkGuide.js';

/*
 * Our packages as users get them: packed, taken from a registry by npm with install scripts blocked, in folders that were
 * empty. The registry here has our tarballs alone; everything else npm takes from the real one, or from its cache.
 */
// Of each step; some seconds on an idle machine.
const LONG_MS = 600_000;
// Minutes on a busy machine, most of them npm's: CI does it (`CI=true`), and whoever asks for it.
const isWanted = process.env['CI'] === 'true' || process.env['MILLRACE_TEST_NPM'] === '1';
const root = new URL('../../', import.meta.url);
const installedPackages = packagesIn as (
  modules: string,
) => Promise<{ readonly name: string; readonly hasScript: boolean; readonly bytes: number }[]>;
// What an installation may bring: decision 0021.
const MAX_PACKAGES = 90;
const MAX_BYTES = 60_000_000;
const { version } = JSON.parse(await readFile(new URL('packages/millrace/package.json', root), 'utf8')) as {
  readonly version: string;
};

/** Where npm takes packages from, with a slash appended. */
async function registryOfNpm(): Promise<string> {
  const { stdout } = await promisify(execFile)('npm', ['config', 'get', 'registry']);
  return `${stdout.trim().replace(/\/$/, '')}/`;
}

describe('packages from npm', () => {
  let folder = '';
  let registry: LocalRegistry | undefined;
  let registryUrl = '';
  let isReachable = false;

  beforeAll(async () => {
    if (!isWanted) {
      console.log('skip: packages from npm are tested with CI=true or MILLRACE_TEST_NPM=1');
      return;
    }
    const upstream = await registryOfNpm();
    isReachable = await fetch(`${upstream}koa`, {
      method: 'HEAD',
      signal: AbortSignal.timeout(15_000),
    }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (!isReachable) {
      console.log(`skip: ${upstream} can't be reached`);
      return;
    }
    folder = await mkdtemp(join(tmpdir(), 'millrace-packages-'));
    registry = new LocalRegistry(upstream);
    const script = new URL('scripts/packPackages.mjs', root).href;
    const pack = `import(${JSON.stringify(script)}).then(({ packPackages }) => packPackages(${JSON.stringify(join(folder, 'packed'))}))`;
    await promisify(execFile)(process.execPath, ['-e', pack]);
    for (const file of await readdir(join(folder, 'packed'))) await registry.add(join(folder, 'packed', file));
    registryUrl = await registry.start();
    // In a file: a shell drops environment variables whose names hold a colon.
    const own = await readFile(join(homedir(), '.npmrc'), 'utf8').catch(() => '');
    await writeFile(join(folder, 'npmrc'), `${own}\n@millrace:registry=${registryUrl}\n`);
  }, LONG_MS);
  afterAll(async () => {
    registry?.stop();
    if (folder !== '') await rm(folder, { recursive: true, force: true });
  }, LONG_MS);

  const environmentOf = (command = ''): Record<string, string> => {
    const inherited = Object.entries(process.env).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined && !/^(npm_|MILLRACE_|NODE_OPTIONS|VITEST|NODE_ENV)/i.test(entry[0]),
    );
    return {
      ...Object.fromEntries(inherited),
      npm_config_userconfig: join(folder, 'npmrc'),
      npm_config_ignore_scripts: 'true',
      npm_config_prefer_offline: 'true',
      npm_config_yes: 'true',
      // Nothing but the creator itself is fetched for this, and that isn't in our scope.
      ...(/^npm (create|install millrace)/.test(command) ? { npm_config_registry: registryUrl } : undefined),
      PORT: '0',
      MILLRACE_HTTP_PORT: '0',
      MILLRACE_WEBSOCKET_PORT: '0',
      MILLRACE_FALLBACK_PORT: '0',
      MILLRACE_MQTT_PORT: '0',
    };
  };
  const emptyFolder = async (name: string) => {
    const made = join(folder, name);
    await mkdir(made);
    return made;
  };
  const page = (path: string) => readFile(new URL(path, root), 'utf8');
  const walk = async (path: string, name: string) =>
    walkGuide(await page(path), { folder: await emptyFolder(name), environmentOf });
  const needsNpm = ({ skip }: TestContext) => skip(!isReachable, 'not wanted, or npm can not be reached');

  it(
    'a server, by the commands of packages/server/README.md; one kernel and one container in all',
    async (context) => {
      needsNpm(context);
      const { commands } = await walk('packages/server/README.md', 'server');
      expect(commands).toContain('npm install @millrace/server');
      const installed = join(folder, 'server');
      const listed = await runCommand('npm ls --all --parseable --long', {
        folder: installed,
        environment: environmentOf(),
      });
      const versionsOf = (name: string) => {
        const found = listed.split('\n').flatMap((line) => new RegExp(`:(${name}@[^:@]+)`).exec(line)?.[1] ?? []);
        return [...new Set(found)];
      };
      for (const name of ['@millrace/kernel', 'tsyringe', 'reflect-metadata'])
        expect(versionsOf(name), name).toHaveLength(1);

      const body = `
      const kernel = new Kernel({ config: { http: { port: 0 }, log: { level: 'error' }, server: { dataDir: './other' } } });
      kernel.start().then(async ([{ url }]) => {
        const { status, action } = await (await fetch(url + '/_now')).json();
        console.log(status, action);
        await kernel.stop();
      });`;
      const environment = environmentOf();
      await writeFile(join(installed, 'as.mjs'), `import { Kernel } from '@millrace/server';${body}`);
      await writeFile(join(installed, 'as.cjs'), `const { Kernel } = require('@millrace/server');${body}`);
      for (const file of ['as.mjs', 'as.cjs'])
        expect(await runCommand(`node ${file}`, { folder: installed, environment })).toContain('200 now');
      const packages = await installedPackages(join(installed, 'node_modules'));
      expect(packages.filter(({ hasScript }) => hasScript)).toEqual([]);
      expect(packages.length).toBeLessThanOrEqual(MAX_PACKAGES);
      expect(packages.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(MAX_BYTES);
      // A configured package that isn't installed is named, with the command.
      for (const [flags, name] of [
        ['--storage.engine elasticsearch --storage.elasticsearch.node http://127.0.0.1:1', 'storage-elasticsearch'],
        ['--memoryStore.engine redis', 'memory-store-redis'],
        ['--oauth2.providers "{}"', 'auth-oauth2'],
      ] as const)
        await expect(runCommand(`npx millrace ${flags}`, { folder: installed, environment })).rejects.toThrow(
          `npm install @millrace/${name}`,
        );
      // Each can be required: none has a top-level await.
      const names = await readdir(join(installed, 'node_modules/@millrace'));
      expect(names.length).toBeGreaterThan(12);
      const all = names.map((name) => `@millrace/${name}`);
      const requireAll = `node -e '${all.map((name) => `require(${JSON.stringify(name)})`).join(';')}'`;
      await runCommand(requireAll, { folder: installed, environment });
    },
    LONG_MS,
  );

  it(
    'the command with everything, by the package millrace',
    async (context) => {
      needsNpm(context);
      const place = await emptyFolder('everything');
      const environment = environmentOf('npm install millrace');
      await runCommand('npm install millrace', { folder: place, environment });
      const help = await runCommand('npx millrace --help', { folder: place, environment });
      for (const option of ['--saml.publicURL', '--console.enabled']) expect(help).toContain(option);
      const packages = await installedPackages(join(place, 'node_modules'));
      expect(packages.filter(({ hasScript }) => hasScript)).toEqual([]);
      // It is installed: what fails is that there is nothing to connect to.
      const flags =
        '--storage.engine elasticsearch --storage.elasticsearch.node http://127.0.0.1:1 --storage.elasticsearch.startTimeoutMs 100';
      await expect(runCommand(`npx millrace ${flags}`, { folder: place, environment })).rejects.toThrow(
        "can't be reached",
      );
    },
    LONG_MS,
  );

  it(
    'from the files that a clone packs, by the commands of docs/README.md',
    async (context) => {
      needsNpm(context);
      const place = await emptyFolder('files');
      // No registry has our packages here.
      const environment = { ...environmentOf(), npm_config_userconfig: join(homedir(), '.npmrc') };
      const run = (command: string, inFolder = place) => runCommand(command, { folder: inFolder, environment });
      await run('npm init -y && npm install ../packed/*.tgz && npm install millrace @millrace/client vite');
      expect(await run('npx millrace --version')).toContain(version);
      await run(
        `npm exec --package ../packed/create-millrace-*.tgz -- create-millrace my-app --js --yes && cd my-app && npm install ../../packed/*.tgz`,
      );
      expect(await run('npm test', join(place, 'my-app'))).toMatch(/fail 0/);
    },
    LONG_MS,
  );

  it(
    'an application, by the commands of its README, in both languages',
    async (context) => {
      needsNpm(context);
      for (const language of ['js', 'ts']) {
        const place = await emptyFolder(`app-${language}`);
        await runCommand(`npm create millrace@latest my-app -- --template app --${language} --yes`, {
          folder: place,
          environment: environmentOf('npm create'),
        });
        const readme = await readFile(join(place, 'my-app/README.md'), 'utf8');
        // The server goes on while the second terminal asks it.
        const walked = readme
          .replace(/^npm (start|run dev)$/m, 'npm $1 &')
          .replace(/^curl .*$/gm, '$& # → "status":200');
        const { commands } = await walkGuide(walked, { folder: join(place, 'my-app'), environmentOf });
        expect(commands.filter((command) => command.startsWith('curl'))).toHaveLength(2);
      }
    },
    LONG_MS,
  );

  it(
    'inside another application, by the commands of docs/guide/embedder.md',
    async (context) => {
      needsNpm(context);
      const { commands } = await walk('docs/guide/embedder.md', 'embedded');
      expect(commands).toEqual(expect.arrayContaining(['node library.mjs', 'node express.mjs &']));
    },
    LONG_MS,
  );

  it(
    'a custom plugin, by the commands of docs/guide/plugin-author.md',
    async (context) => {
      needsNpm(context);
      const { commands } = await walk('docs/guide/plugin-author.md', 'plugin');
      expect(commands.filter((command) => command.startsWith('npm create'))).toHaveLength(2);
      expect(commands).toContain('npm run dev &');
    },
    LONG_MS,
  );

  it(
    'every template, in both languages: its own test passes',
    async (context) => {
      needsNpm(context);
      const place = await emptyFolder('templates');
      const environment = environmentOf('npm create');
      const names = await readdir(new URL('packages/create-millrace/templates/', root));
      const projects = names.flatMap((template) =>
        ['js', 'ts'].map((language) => ({ template, language, name: `${template}-${language}` })),
      );
      // The guides come by it through `npm create`; ten times that would be ten starts of npm.
      await runCommand('npm install create-millrace', { folder: place, environment });
      for (const { template, language, name } of projects)
        await runCommand(
          `node node_modules/create-millrace/bin/create-millrace.js ${name} --template ${template} --${language} --yes`,
          { folder: place, environment },
        );
      // One installation for all: Node finds packages in the folders above. Of what each asks for, all is asked for here.
      const asked: Record<string, string> = {};
      for (const { name } of projects) {
        const manifest = JSON.parse(await readFile(join(place, name, 'package.json'), 'utf8')) as Record<
          string,
          object
        >;
        Object.assign(asked, manifest['dependencies'], manifest['devDependencies']);
      }
      await writeFile(join(place, 'package.json'), JSON.stringify({ private: true, dependencies: asked }));
      await runCommand('npm install', { folder: place, environment: environmentOf() });
      const test = async ({ name }: { readonly name: string }) => {
        const output = await runCommand('npm test', { folder: join(place, name), environment: environmentOf() });
        expect(output, name).toMatch(/pass [1-9]/);
        expect(output, name).toMatch(/fail 0/);
      };
      const waiting = [...projects];
      const work = async () => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await test(next);
      };
      await Promise.all([work(), work()]);
    },
    LONG_MS,
  );
});
