// Bundles each package into `dist/index.js` (workers and parts that are loaded on demand beside it): a server that loads
// some 20 files of ours in place of 600 starts in half the time. Types are emitted by `tsc -b`. With --watch it goes on.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { context } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const isWatching = process.argv.includes('--watch');

const OPTIONS = {
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: true,
  logLevel: 'warning',
};

const folders = ['packages', 'plugins']
  .flatMap((parent) => readdirSync(join(root, parent)).map((name) => join(root, parent, name)))
  .filter((folder) => existsSync(join(folder, 'src/index.ts')));

await Promise.all(folders.map(bundle));

async function bundle(folder) {
  const source = join(folder, 'src');
  const outdir = join(folder, 'dist');
  const files = readdirSync(source, { recursive: true });
  const workers = files.filter((file) => file.endsWith('.worker.ts'));
  // Processes that tests start and kill: each for itself, so that what is published doesn't depend on them.
  const children = files.filter((file) => file.endsWith('.child.ts'));
  const builds = await Promise.all([
    context({
      ...OPTIONS,
      entryPoints: ['index.ts', ...workers].map((file) => ({
        in: join(source, file),
        out: basename(file, '.ts'),
      })),
      outdir,
      splitting: true,
      metafile: true,
      plugins: [
        { name: 'stale', setup: ({ onEnd }) => onEnd((made) => removeStale(outdir, made)) },
      ],
    }),
    ...children.map((file) =>
      context({
        ...OPTIONS,
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

/** Chunks are named by their content: those of earlier builds are left behind. */
function removeStale(outdir, { metafile }) {
  if (metafile === undefined) return;
  const made = new Set(Object.keys(metafile.outputs).map((file) => basename(file)));
  for (const file of readdirSync(outdir)) {
    if (file.includes('.child.')) continue;
    if (/\.js(\.map)?$/.test(file) && !made.has(file)) rmSync(join(outdir, file));
  }
}
