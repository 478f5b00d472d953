// Bundles each package into `dist/index.js` (parts that are loaded on demand next to it): a server that loads some 20 files
// of ours in place of 600 starts in half the time. Worker threads that start with the server are one file with all that
// they need of every package. Types are emitted by `tsc -b`. With --watch it goes on.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { context } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const isWatching = process.argv.includes('--watch');

/** Libraries of many packages that become part of the bundle where they are devDependencies: decision 0021. */
const BUNDLED = ['koa', '@koa/router', 'pino', 'prom-client'];

/**
 * Its threads start with the server, so that each is one file. Workers of other packages import packages: this one finds
 * its own files next to its bundle.
 */
const ENGINE = '@millrace/storage-sqlite';

/** Packages that run in browsers: a module of Node.js in them fails the build. */
const IN_BROWSERS = ['@millrace/client', '@millrace/react'];

const OPTIONS = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: true,
  logLevel: 'warning',
};

/**
 * A worker contains of the packages only what it uses: importing one of our modules, or the metadata of decorated classes,
 * has no effect in a worker, which composes no server.
 */
const ONLY_WHAT_IS_USED = {
  name: 'only-what-is-used',
  setup: ({ onResolve, resolve }) =>
    onResolve({ filter: /^(@millrace\/|\.|reflect-metadata$)/ }, async ({ path, ...options }) => {
      if (options.pluginData === 'resolved') return undefined;
      const found = await resolve(path, { ...options, pluginData: 'resolved' });
      const isOurs = !found.path.includes('/node_modules/') || path === 'reflect-metadata';
      return isOurs ? { ...found, sideEffects: false } : found;
    }),
};

const folders = ['packages', 'plugins']
  .flatMap((parent) => readdirSync(join(root, parent)).map((name) => join(root, parent, name)))
  .filter((folder) => existsSync(join(folder, 'src/index.ts')));

await Promise.all(folders.map(bundle));
copyPrebuiltSqlite(join(root, 'packages/storage-sqlite'));
// All packages have one version: each is packed with the changes of all.
for (const folder of [...folders, join(root, 'packages/millrace')])
  copyFileSync(join(root, 'CHANGELOG.md'), join(folder, 'CHANGELOG.md'));

/**
 * Takes the native modules out of @photostructure/sqlite, and its licence: installed as a dependency it would bring 11 MB of C
 * sources and an install script, of which npm warns and which it blocks.
 */
function copyPrebuiltSqlite(folder) {
  const library = dirname(
    createRequire(join(folder, 'package.json')).resolve('@photostructure/sqlite/package.json'),
  );
  const target = join(folder, 'prebuilds');
  rmSync(target, { recursive: true, force: true });
  for (const platform of readdirSync(join(library, 'prebuilds'))) {
    mkdirSync(join(target, platform), { recursive: true });
    for (const file of readdirSync(join(library, 'prebuilds', platform)))
      copyFileSync(
        join(library, 'prebuilds', platform, file),
        join(target, platform, file.replace('@photostructure+', '')),
      );
  }
  // pnpm adds the licence of this repository only where no file is named so.
  copyFileSync(join(library, 'LICENSE'), join(target, 'NOTICE.txt'));
}

async function bundle(folder) {
  const source = join(folder, 'src');
  const outdir = join(folder, 'dist');
  const files = readdirSync(source, { recursive: true });
  const workers = files.filter((file) => file.endsWith('.worker.ts'));
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const { exports = {} } = manifest;
  // What applications load only if they use it: `./realtime` is src/realtime/index.ts.
  const parts = Object.keys(exports).filter((name) => name !== '.');
  const entries = ['index.ts', ...parts.map((name) => join(name, 'index.ts'))];
  // Processes that tests start and kill: each for itself, so that what is published doesn't depend on them.
  const children = files.filter((file) => file.endsWith('.child.ts'));
  const options = { ...OPTIONS, ...libraryOptions(manifest) };
  const builds = await Promise.all([
    context({
      ...options,
      entryPoints: [
        ...entries.map((file) => ({ in: join(source, file), out: file.replace(/\.ts$/, '') })),
      ],
      outdir,
      splitting: true,
      metafile: true,
      plugins: [
        { name: 'stale', setup: ({ onEnd }) => onEnd((made) => removeStale(outdir, made)) },
        licencesIn(outdir, 'THIRD_PARTY_NOTICES.txt'),
      ],
    }),
    ...workers.map((file) =>
      context({
        ...OPTIONS,
        entryPoints: [join(source, file)],
        outfile: join(outdir, basename(file, '.ts') + '.js'),
        conditions: ['source'],
        external: manifest.name === ENGINE ? [] : ['@millrace/*'],
        // The import of reflect-metadata.
        logOverride: { 'ignored-bare-import': 'silent' },
        metafile: true,
        plugins: [ONLY_WHAT_IS_USED, licencesIn(outdir, `${basename(file, '.ts')}.NOTICES.txt`)],
      }),
    ),
    ...children.map((file) =>
      context({
        ...options,
        entryPoints: [join(source, file)],
        outfile: join(outdir, file.replace(/\.ts$/, '.js')),
      }),
    ),
  ]);
  await Promise.all(
    builds.map(async (build) => {
      if (isWatching) return build.watch();
      await build.rebuild();
      return build.dispose();
    }),
  );
}

/** Dependencies are imported by their names; libraries that are devDependencies become part of the bundle. */
function libraryOptions(manifest) {
  const { dependencies, peerDependencies, devDependencies } = manifest;
  const platform = IN_BROWSERS.includes(manifest.name) ? 'browser' : 'node';
  const own = Object.keys({ ...dependencies, ...peerDependencies });
  // What tests alone use: no entry point but those of tests gets there.
  const ofTests = Object.keys(devDependencies ?? {}).filter((name) => !BUNDLED.includes(name));
  const external = [...own, ...ofTests, 'vitest'].flatMap((name) => [name, `${name}/*`]);
  const hasLibraries = BUNDLED.some((name) => devDependencies?.[name] !== undefined);
  if (!hasLibraries) return { external, platform };
  // CommonJS libraries require modules of Node.js.
  const js = `import { createRequire as createBundledRequire } from 'node:module'; const require = createBundledRequire(import.meta.url);`;
  return { external, banner: { js } };
}

/** Libraries in the bundle keep their licences, next to it. */
function licencesIn(outdir, name) {
  return {
    name: 'licences',
    setup: ({ onEnd }) => onEnd(({ metafile }) => writeLicences(join(outdir, name), metafile)),
  };
}

function writeLicences(target, metafile) {
  const folders = new Set();
  const outputs = Object.values(metafile?.outputs ?? {});
  const used = outputs.flatMap(({ inputs }) => Object.entries(inputs));
  for (const [input, { bytesInOutput }] of used) {
    if (bytesInOutput === 0) continue;
    const found = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(input)?.[0];
    if (found !== undefined) folders.add(found);
  }
  const texts = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(
      readFileSync(join(root, folder, 'package.json'), 'utf8'),
    );
    const file = readdirSync(join(root, folder)).find((each) => /^licen[cs]e/i.test(each));
    const text = file === undefined ? license : readFileSync(join(root, folder, file), 'utf8');
    return `${name} ${version}\n\n${text.trim()}\n`;
  });
  if (texts.length > 0) writeFileSync(target, texts.join(`\n${'-'.repeat(80)}\n\n`));
}

/** Chunks are named by their content: those of earlier builds are left behind. */
function removeStale(outdir, { metafile }) {
  if (metafile === undefined) return;
  const made = new Set(Object.keys(metafile.outputs).map((file) => basename(file)));
  for (const file of readdirSync(outdir)) {
    if (/\.(child|worker)\./.test(file)) continue;
    if (/\.js(\.map)?$/.test(file) && !made.has(file)) rmSync(join(outdir, file));
  }
}
