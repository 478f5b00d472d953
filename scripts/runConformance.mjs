// Runs the conformance suite against a fresh server, for the checks that have landed (.ci/conformance says which).
// usage: node scripts/runConformance.mjs PATH-OF-RUN FILE [-- flags of the server]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from './startServer.mjs';

const [run, file, , ...serverFlags] = process.argv.slice(2);
const lines = readFileSync(file, 'utf8')
  .split('\n')
  .map((line) => line.trim())
  .filter((line) => line !== '' && !line.startsWith('#'));
const options = lines
  .filter((line) => line.startsWith('options '))
  .flatMap((line) => line.slice('options '.length).split(' '));
const excluded = lines.filter((line) => line.startsWith('not ')).map((line) => line.slice('not '.length));
const prefixes = lines.filter((line) => !/^(options|not) /.test(line));

const server = await startServer(['node', 'packages/server/bin/millrace.js', '--log.level', 'error', ...serverFlags]);
const addresses = [];
for (const [protocol, option] of [
  ['http', '--base-url'],
  ['websocket', '--ws'],
  ['fallback', '--fallback'],
  ['mqtt', '--mqtt'],
]) {
  const url = await server.urlOf(protocol);
  if (url !== undefined) addresses.push(option, url);
}
const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
const counts = { passed: 0, failed: 0, skipped: 0 };
try {
  const json = join(folder, 'result.json');
  // One run for all, since checks share an administrator and data; what has not landed is left out of the count.
  spawnSync(run, [...addresses, ...options, '--json', json], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const { results } = JSON.parse(readFileSync(json, 'utf8'));
  const named = results.map(({ file: caseFile, suite, title, ...result }) => {
    return { ...result, name: `${caseFile} › ${suite} › ${title}` };
  });
  for (const prefix of prefixes) {
    if (!named.some(({ name }) => name.startsWith(prefix))) {
      throw new Error(`no check matches "${prefix}"`);
    }
  }
  for (const { name, status: outcome, message } of named) {
    if (!prefixes.some((prefix) => name.startsWith(prefix))) continue;
    const isExcluded = excluded.some((each) => name.startsWith(each));
    counts[isExcluded ? 'skipped' : outcome]++;
    if (isExcluded) console.log(`skip ${name}: taken out in ${file}`);
    else if (outcome !== 'passed') {
      console.log(`${outcome === 'failed' ? 'FAIL' : 'skip'} ${name}: ${message}`);
    }
  }
} finally {
  const code = await server.stop();
  rmSync(folder, { recursive: true, force: true });
  if (code !== 0) {
    console.log(`FAIL the server ended with ${code} on SIGTERM`);
    counts.failed++;
  }
}
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exit(counts.failed > 0 || counts.passed === 0 ? 1 : 0);
