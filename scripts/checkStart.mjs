// What a server loads before it listens, by package: libraries that are imported at their first use must not be among it.
// And what the README promises of `npm start`: in a fresh clone the example server answers searches on real data, and stops
// on SIGTERM; started again, it neither installs nor builds. With --modules only the former.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startServer } from './startServer.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Packages, and parts of our bundle, that may not be loaded before a server listens. */
const AT_FIRST_USE = [
  ...[
    'koa',
    '@koa/router',
    'aedes',
    'mqtt-packet',
    'socket.io',
    'engine.io',
    'jose',
    'passport',
    'passport-local',
    'prom-client',
  ],
  ...['@elastic/elasticsearch', 'redis', 'csv-parse', 'csv-stringify'],
  ...['packages/server/src/description/openapi', 'packages/server/src/description/asyncapi'],
];

await checkModules();
if (process.argv.includes('--modules')) process.exit();
const folder = mkdtempSync(join(tmpdir(), 'millrace-clone-'));
try {
  execFileSync('git', ['clone', '--quiet', root, folder]);
  const first = await answersSearches();
  console.log(`npm start in a clone: the example server answers after ${first.seconds} s`);
  const second = await answersSearches();
  assert.doesNotMatch(second.output, /pnpm/);
  console.log(`started again: after ${second.seconds} s`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function checkModules() {
  const { files, msByUrl } = await modulesOfStart();
  const command = join(root, 'packages/server/dist/command');
  const { outputs } = JSON.parse(readFileSync(join(command, 'meta.json'), 'utf8'));
  const found = new Map();
  const add = (name, modules, bytes, ms) => {
    const sum = found.get(name) ?? { modules: 0, bytes: 0, ms: 0 };
    found.set(name, { modules: sum.modules + modules, bytes: sum.bytes + bytes, ms: sum.ms + ms });
  };
  const early = new Set();
  const check = (path) => {
    const parts = [packageOf(path), path];
    const name = AT_FIRST_USE.find((each) => parts.some((part) => part === each || part.startsWith(`${each}/`)));
    if (name !== undefined) early.add(name);
  };
  for (const { path, bytes } of files) {
    const file = relative(root, path);
    add(packageOf(file), 1, bytes, msByUrl[path] ?? 0);
    check(file);
    // The packages in a bundle, without times.
    for (const [input, { bytesInOutput }] of Object.entries(outputs[file]?.inputs ?? {})) {
      if (bytesInOutput === 0) continue;
      add(`  in the command: ${packageOf(input)}`, 1, bytesInOutput, 0);
      check(input);
    }
  }
  for (const [name, { modules, bytes, ms }] of [...found].sort(([, a], [, b]) => b.bytes - a.bytes)) {
    const kilobytes = (bytes / 1_024).toFixed(0).padStart(5);
    console.log(`${name.padEnd(48)} ${String(modules).padStart(4)} ${kilobytes} kB ${ms.toFixed(1).padStart(6)} ms`);
  }
  console.log(`${files.length} modules are loaded before a server listens`);
  assert.deepEqual([...early], [], 'loaded before a server listens');
}

/** The modules that the command loads until it listens, and the processor time in each. */
async function modulesOfStart() {
  const dataDir = mkdtempSync(join(tmpdir(), 'millrace-start-'));
  const ports = ['http', 'websocket', 'fallback', 'mqtt'].flatMap((name) => [`--${name}.port`, '0']);
  const args = ['--import', join(root, 'scripts/reportModules.mjs'), 'packages/server/bin/millrace.js'];
  const child = spawn(process.execPath, [...args, ...ports, '--server.dataDir', dataDir], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  try {
    const exited = once(child, 'exit');
    const ended = exited.then(([code]) => assert.fail(`the server ended with ${code}`));
    ended.catch(() => undefined);
    const [report] = await Promise.race([once(child, 'message'), ended]);
    await exited;
    return report;
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** `koa`, or `packages/kernel` for ours. */
function packageOf(path) {
  const library = /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];
  return library ?? path.split('/').slice(0, 2).join('/');
}

async function answersSearches() {
  const startMs = performance.now();
  const server = await startServer(['npm', 'start'], { cwd: folder });
  try {
    const ask = async (path, body) => {
      const answer = await fetch(`${server.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return (await answer.json()).result;
    };
    const { total, hits } = await ask('/city/stations/_search', {
      query: { match: { description: 'tram' } },
      size: 3,
    });
    const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
    assert.ok(total > 10 && hits.length === 3, `stations near the tram: ${total}`);
    assert.equal((await ask('/city/trips/_count', {})).count, 5400);
    return { seconds, output: server.output() };
  } finally {
    await server.stop();
  }
}
