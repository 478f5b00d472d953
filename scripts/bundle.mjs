// Bundles each package into `dist/index.js` (parts that are loaded on demand next to it): a server that loads some 20 files
// of ours in place of 600 starts in half the time. Worker threads that start with the server are one file with all that
// they need of every package. Types are emitted by `tsc -b`. With --watch it goes on.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

/**
 * The `millrace` command, an entry of this package: one bundle with most of our packages, and the libraries below. The others
 * stay separate modules: plugins import them too, and there has to be one instance of each.
 */
const COMMAND = { package: '@millrace/server', part: './command' };
/** And a plugin with a native module, which finds it from its own folder. */
const SHARED = ['kernel', 'query', 'language', 'plugin-kit', 'auth-local'].map((name) => `@millrace/${name}`);
/** Libraries in it. */
const IN_COMMAND = [
  ...[...BUNDLED, 'tsyringe', 'ws', 'croner'],
  // As chunks that are loaded at their first use.
  ...['aedes', 'jose', 'passport', 'socket.io'],
];

/** Packages that run in browsers: a module of Node.js in them fails the build. */
const IN_BROWSERS = ['@millrace/client', '@millrace/react'];

/** Of our packages, those that others of the command depend on. */
const INSIDE = ['@millrace/filters', '@millrace/search'];

/** CommonJS libraries require modules of Node.js. */
const CREATE_REQUIRE = `import { createRequire as createBundledRequire } from 'node:module'; const require = createBundledRequire(import.meta.url);`;

const OPTIONS = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: true,
  // V8 keeps the source of each module: a third less without white space. Names stay, for stacks in logs.
  minifyWhitespace: true,
  minifySyntax: true,
  // Stacks name lines of a length that an editor shows.
  lineLimit: 160,
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

/** Threads, and the modules of SQLite, are next to the bundle of the package that they belong to. */
const IN_ITS_PACKAGE = {
  name: 'in-its-package',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/packages\/(?:storage-sqlite|backup)\/src\/.*\.ts$/ }, ({ path }) => {
      const [, name] = /\/packages\/([\w-]+)\/src\//.exec(path);
      const place = `import.meta.resolve('@millrace/${name}')`;
      return {
        contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', place),
        loader: 'ts',
      };
    }),
};

/** Packages that are installed only on demand, and libraries with data or native modules, are imported by their names. */
const ONLY_OF_COMMAND = {
  name: 'only-of-command',
  setup: ({ onResolve }) => {
    const { dependencies } = JSON.parse(readFileSync(join(root, 'packages/server/package.json'), 'utf8'));
    const ours = Object.keys(dependencies).filter((name) => !SHARED.includes(name));
    onResolve({ filter: /^[^./]/ }, ({ path, importer }) => {
      const name = /^(?:@[^/]+\/)?[^/]+/.exec(path)[0];
      if (importer.includes('/node_modules/') || path.startsWith('node:')) return undefined;
      const isPart = name.startsWith('@millrace/')
        ? ours.includes(name) || INSIDE.includes(name)
        : IN_COMMAND.includes(name);
      return isPart ? undefined : { path, external: true };
    });
  },
};

const folders = ['packages', 'plugins']
  .flatMap((parent) => readdirSync(join(root, parent)).map((name) => join(root, parent, name)))
  .filter((folder) => existsSync(join(folder, 'src/index.ts')));

await Promise.all([...folders.map(bundle), ...folders.filter(hasPage).map(bundlePage)]);
copyPrebuiltSqlite(join(root, 'packages/storage-sqlite'));
// All packages have one version: each is packed with the changes of all.
for (const folder of [...folders, join(root, 'packages/millrace')])
  copyFileSync(join(root, 'CHANGELOG.md'), join(folder, 'CHANGELOG.md'));

/** Whether a package has a page for browsers: `page/main.tsx` and `page/index.html`. */
function hasPage(folder) {
  return existsSync(join(folder, 'page/main.tsx'));
}

/**
 * Bundles the page of a package into `dist/page`, with hashes in the names of its files: browsers keep those for good, and
 * only `index.html`, which names them, is asked for again.
 */
async function bundlePage(folder) {
  const outdir = join(folder, 'dist/page');
  const source = (name) => join(root, 'packages/client/src', name, 'index.ts');
  const page = await context({
    absWorkingDir: root,
    entryPoints: [join(folder, 'page/main.tsx')],
    entryNames: '[name]-[hash]',
    // Screens that are loaded when they are shown.
    chunkNames: '[name]-[hash]',
    splitting: true,
    outdir,
    bundle: true,
    minify: true,
    format: 'esm',
    target: ['chrome120', 'firefox120', 'safari17.5'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    alias: Object.fromEntries(
      ['', '/realtime', '/follow'].map((name) => [`@millrace/client${name}`, source(name.slice(1))]),
    ),
    metafile: true,
    legalComments: 'none',
    logLevel: 'warning',
    plugins: [
      {
        name: 'index',
        setup: ({ onStart, onEnd }) => {
          onStart(() => rmSync(outdir, { recursive: true, force: true }));
          onEnd(({ metafile }) => {
            if (metafile !== undefined) writeIndex(folder, outdir, Object.keys(metafile.outputs));
          });
        },
      },
      licencesIn(outdir, 'THIRD_PARTY_NOTICES.txt'),
    ],
  });
  if (isWatching) return page.watch();
  await page.rebuild();
  return page.dispose();
}

function writeIndex(folder, outdir, outputs) {
  const nameOf = (extension) =>
    outputs.map((file) => basename(file)).find((file) => file.startsWith('main-') && file.endsWith(extension));
  const html = readFileSync(join(folder, 'page/index.html'), 'utf8')
    .replace('main.js', nameOf('.js'))
    .replace('main.css', nameOf('.css'));
  mkdirSync(outdir, { recursive: true });
  writeFileSync(join(outdir, 'index.html'), html);
}

/**
 * Takes the native modules out of @photostructure/sqlite, and its licence: installed as a dependency it would bring 11 MB of C
 * sources and an install script, of which npm warns and which it blocks.
 */
function copyPrebuiltSqlite(folder) {
  const library = dirname(createRequire(join(folder, 'package.json')).resolve('@photostructure/sqlite/package.json'));
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
  const parts = Object.keys(exports).filter((name) => name !== '.' && name !== COMMAND.part);
  const entries = ['index.ts', ...parts.map((name) => join(name, 'index.ts'))];
  // Processes that tests start and kill: each for itself, so that what is published doesn't depend on them.
  const children = files.filter((file) => file.endsWith('.child.ts'));
  const options = { ...OPTIONS, ...libraryOptions(manifest) };
  const builds = await Promise.all([
    context({
      ...options,
      entryPoints: [...entries.map((file) => ({ in: join(source, file), out: file.replace(/\.ts$/, '') }))],
      outdir,
      splitting: true,
      metafile: true,
      plugins: [
        { name: 'stale', setup: ({ onEnd }) => onEnd((made) => removeStale(outdir, made)) },
        licencesIn(outdir, 'THIRD_PARTY_NOTICES.txt'),
      ],
    }),
    ...(manifest.name === COMMAND.package ? [commandContext(folder)] : []),
    ...workers.map((file) =>
      context({
        ...OPTIONS,
        entryPoints: [join(source, file)],
        outfile: join(outdir, basename(file, '.ts') + '.js'),
        conditions: ['source'],
        // The same sources are in the maps of the packages.
        sourcesContent: false,
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

function commandContext(folder) {
  const outdir = join(folder, 'dist/command');
  return context({
    ...OPTIONS,
    entryPoints: { index: join(folder, 'src/command/index.ts'), ahead: join(folder, 'src/modules/ahead.ts') },
    outdir,
    splitting: true,
    conditions: ['source'],
    sourcemap: false,
    metafile: true,
    banner: { js: CREATE_REQUIRE },
    plugins: [
      IN_ITS_PACKAGE,
      ONLY_OF_COMMAND,
      { name: 'stale', setup: ({ onEnd }) => onEnd((made) => removeStale(outdir, made)) },
      licencesIn(outdir, 'THIRD_PARTY_NOTICES.txt'),
      // Read by checkStart.mjs, not published.
      {
        name: 'contents',
        setup: ({ onEnd }) =>
          onEnd(({ metafile }) => {
            if (metafile === undefined) return;
            writeFileSync(join(outdir, 'meta.json'), JSON.stringify({ outputs: metafile.outputs }));
          }),
      },
    ],
  });
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
  // Of the sources in its map most are the libraries'.
  return { external, banner: { js: CREATE_REQUIRE }, sourcesContent: false };
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
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    const files = readdirSync(join(root, folder));
    // One has its licence in its README.
    const pattern = license === undefined ? /^(?:licen[cs]e|readme)/i : /^licen[cs]e/i;
    const file = files.find((each) => pattern.test(each));
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
