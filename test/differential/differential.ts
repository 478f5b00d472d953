/* `pnpm test:differential --runs 20000 --seed 7 [--only N] [--max 20] [--no-shrink] [--show <exception>]` on MILLRACE_TEST_ELASTICSEARCH. */
import { parseArgs } from 'node:util';
import { runDifferential } from './runDifferential.js';
import { showDifference } from './showDifference.js';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    max: { type: 'string', default: '20' },
    'no-shrink': { type: 'boolean', default: false },
    refusals: { type: 'boolean', default: false },
    show: { type: 'string' },
  },
});
const node = process.env['MILLRACE_TEST_ELASTICSEARCH'] ?? '';
if (node === '') {
  console.error('Set MILLRACE_TEST_ELASTICSEARCH to the address of Elasticsearch');
  process.exit(2);
}
const startedAtMs = performance.now();
let progressAtMs = startedAtMs;
const report = await runDifferential({
  node,
  seed: Number(values.seed),
  runs: Number(values.runs),
  ...(values.only === undefined ? {} : { only: Number(values.only) }),
  maxDifferences: Number(values.max),
  shrinks: !values['no-shrink'],
  onProgress: (line) => {
    if (performance.now() - progressAtMs < 10_000) return;
    progressAtMs = performance.now();
    console.log(line);
  },
  onException: (name, seen, run) => {
    if (name === values.show) console.log(`run ${run}: ${JSON.stringify(seen).slice(0, 1_500)}`);
  },
  onDifference: (difference) => console.log(showDifference(difference)),
});
const seconds = Math.round((performance.now() - startedAtMs) / 1000);
console.log(
  `\n${report.runs} runs of seed ${values.seed} in ${seconds} s: ${report.unlisted.length} kinds of unlisted differences`,
);
console.log(
  `answers: ${JSON.stringify(report.answered)}; listed exceptions: ${JSON.stringify(Object.fromEntries(report.exceptions))}`,
);
const refusals = [...report.refusals].sort(([, a], [, b]) => b - a);
if (values.refusals) for (const [reason, count] of refusals) console.log(`${count} refused: ${reason}`);
process.exitCode = report.unlisted.length === 0 ? 0 : 1;
