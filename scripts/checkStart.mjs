// What the README promises of `npm start`: in a fresh clone the example server answers searches on real data, and stops on
// SIGTERM; started again, it neither installs nor builds.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startServer } from './startServer.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
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
