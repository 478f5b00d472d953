// Sizes of the client's entries as an application ships them: bundled for browsers, minified, compressed. Fails above the
// budget. With --peers it also measures other clients, which it installs from npm into a folder for temporary files.
// usage: node scripts/checkClientSize.mjs [--peers]
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const client = `${root}packages/client/src/index.ts`;
const part = (name) => `${root}packages/client/src/${name}/index.ts`;
const react = `${root}packages/react/src/index.ts`;

/** Each entry with what it is used on top of; `maxBytes`: what it may add, compressed. */
const BUDGETS = [
  { name: '@millrace/client', files: [client], maxBytes: 5_000 },
  { name: '@millrace/client/realtime', files: [part('realtime')], on: [client], maxBytes: 6_000 },
  {
    name: '@millrace/client/offline',
    files: [part('offline')],
    on: [client, part('realtime')],
    maxBytes: 4_050,
  },
  {
    name: '@millrace/client/sse',
    files: [part('sse')],
    on: [client, part('realtime')],
    maxBytes: 1_800,
  },
  {
    name: '@millrace/client/follow',
    files: [part('follow')],
    on: [client, part('realtime')],
    maxBytes: 1_800,
  },
  { name: '@millrace/react', files: [react], on: [client, part('realtime')], maxBytes: 1_500 },
  {
    name: '@millrace/react/query',
    files: [`${root}packages/react/src/query/index.ts`],
    on: [client, part('realtime')],
    maxBytes: 1_000,
  },
];

/** What an application would import of other clients. */
const PEERS = [
  ['pocketbase@0.28.1', `export { default } from 'pocketbase';`],
  ['@directus/sdk@18', `export { authentication, createDirectus, realtime, rest, readItems, createItem, updateItem, deleteItem } from '@directus/sdk';`],
  ['@supabase/supabase-js@2', `export { createClient } from '@supabase/supabase-js';`],
  ['convex@1.48', `export { ConvexClient } from 'convex/browser';`],
]; // prettier-ignore

let isOver = false;
for (const { name, files, on = [], maxBytes } of BUDGETS) {
  if (!files.every((file) => existsSync(file))) continue;
  const bytes = (await sizeOf([...on, ...files])) - (on.length > 0 ? await sizeOf(on) : 0);
  if (bytes > maxBytes) isOver = true;
  const remark = bytes > maxBytes ? '  above the budget' : '';
  console.log(`${String(bytes).padStart(7)} B  ${name} (budget ${maxBytes} B)${remark}`);
}
if (process.argv.includes('--peers')) await measurePeers();
process.exit(isOver ? 1 : 0);

/** Compressed size of a program that exports everything of these files. */
function sizeOf(files) {
  const contents = files.map((file, at) => `export * as part${at} from ${JSON.stringify(file)};`);
  return compressedSize({ contents: contents.join('\n'), resolveDir: root });
}

async function compressedSize(stdin) {
  const { outputFiles } = await build({
    stdin,
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    external: ['react'],
    conditions: ['source'],
    logLevel: 'error',
  });
  return gzipSync(outputFiles[0].contents, { level: 9 }).length;
}

async function measurePeers() {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-peers-'));
  try {
    writeFileSync(join(folder, 'package.json'), '{"private":true}');
    const names = PEERS.map(([name]) => name);
    execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...names], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    for (const [name, contents] of PEERS) {
      const bytes = await compressedSize({ contents, resolveDir: folder });
      console.log(`${String(bytes).padStart(7)} B  ${name}`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
