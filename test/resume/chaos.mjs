#!/usr/bin/env node
// Cuts connections, kills and restarts the server under writes; every client must end with the documents of a search (README.md).
//   node test/resume/chaos.mjs [--seconds 300] [--seed 1] [--cuts 1000] [--clients 12] [--kills 10] [--restarts 5]
//     [--transports a,b] [--elasticsearch http://127.0.0.1:9200]
import { parseArgs } from 'node:util';
import { runChaos } from './runChaos.mjs';
import { TRANSPORTS } from './transports.mjs';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
    cuts: { type: 'string', default: '1000' },
    clients: { type: 'string', default: '12' },
    kills: { type: 'string', default: '10' },
    restarts: { type: 'string', default: '5' },
    transports: { type: 'string', default: Object.keys(TRANSPORTS).join(',') },
    elasticsearch: { type: 'string', default: '' },
  },
});
const numbers = Object.fromEntries(
  ['seconds', 'seed', 'cuts', 'clients', 'kills', 'restarts'].map((name) => [name, Number(values[name])]),
);
const transports = values.transports.split(',');
if (!Object.values(numbers).every((value) => value >= 0) || !transports.every((name) => name in TRANSPORTS)) {
  console.error(`chaos: expected numbers, and --transports of ${Object.keys(TRANSPORTS).join(', ')}`);
  process.exit(2);
}
const report = await runChaos({ ...numbers, transports, elasticsearch: values.elasticsearch });
const { kills, restarts, writes } = report;
console.log(JSON.stringify({ seed: numbers.seed, kills, restarts, writes }));
console.table(
  report.lanes.map(({ gaps, problems, ...lane }) => ({
    ...lane,
    gaps: JSON.stringify(gaps),
    problems: problems.length,
  })),
);
const idle = report.lanes.filter(({ resumes }) => resumes === 0);
const problems = [
  ...report.lanes.flatMap((lane) => lane.problems),
  ...report.unequal,
  ...idle.map(({ transport }) => `${transport}: nothing was resumed`),
];
for (const problem of problems.slice(0, 40)) console.log(problem);
if (problems.length === 0) console.log('Every mirror equals a search; nothing was lost or duplicated.');
process.exit(problems.length === 0 ? 0 : 1);
