// Runs all tests: `npm test` as a newcomer types it, with more rounds of random input, then the heavy tests, some of which
// need declarations. Both write their coverage, which scripts/checkCoverage.mjs judges.
// usage: node scripts/testAll.mjs [flags of vitest for the heavy tests]
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const ROUNDS = {
  MILLRACE_TEST_FUZZ_CASES: '2000',
  MILLRACE_TEST_KILL_ROUNDS: '10',
};

rmSync(`${root}coverage`, { recursive: true, force: true });
run('quick', 'npm', ['test']);
run('declarations', 'npm', ['run', '--silent', 'build']);
run('heavy', 'node_modules/.bin/vitest', ['run', '--project', 'heavy', ...process.argv.slice(2)]);
run('coverage', 'node', ['scripts/checkCoverage.mjs']);

function run(name, command, args) {
  const variables = { ...ROUNDS, MILLRACE_TEST_COVERAGE: `coverage/${name}` };
  const shown = Object.entries(variables).map(([key, value]) => `${key}=${process.env[key] ?? value}`);
  console.log(`\n-- ${shown.join(' ')} ${[command, ...args].join(' ')}`);
  const env = { ...variables, ...process.env };
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit', env });
  if (status !== 0) process.exit(status ?? 1);
}
