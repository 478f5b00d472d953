#!/usr/bin/env node
// Kills and pauses nodes of a cluster, restarts its Redis and cuts connections under writes; every client must end with the
// documents of a search (README.md).
//   node test/resume/clusterChaos.mjs [--seconds 300] [--seed 1] [--cuts 400] [--clients 6] [--faults 40]
//     [--transports a,b] [--elasticsearch http://127.0.0.1:9200]
import { parseArgs } from 'node:util';
import { runClusterChaos } from './runClusterChaos.mjs';
import { TRANSPORTS } from './transports.mjs';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
    cuts: { type: 'string', default: '400' },
    clients: { type: 'string', default: '6' },
    faults: { type: 'string', default: '40' },
    transports: { type: 'string', default: Object.keys(TRANSPORTS).join(',') },
    elasticsearch: {
      type: 'string',
      default: process.env.MILLRACE_TEST_ELASTICSEARCH ?? 'http://127.0.0.1:9200',
    },
  },
});
const [seconds, seed, cuts, clients, faults] = ['seconds', 'seed', 'cuts', 'clients', 'faults'].map((name) =>
  Number(values[name]),
);
const transports = values.transports.split(',');
if (
  ![seconds, seed, cuts, clients, faults].every((value) => value >= 0) ||
  !transports.every((name) => name in TRANSPORTS)
) {
  console.error(`clusterChaos: expected numbers, and --transports of ${Object.keys(TRANSPORTS).join(', ')}`);
  process.exit(2);
}
process.once('SIGTERM', () => process.exit(1));
const { elasticsearch } = values;
const report = await runClusterChaos({
  elasticsearch,
  seconds,
  seed,
  cuts,
  clients,
  faults,
  transports,
});
console.log(JSON.stringify({ seed, faults: report.faults, writes: report.writes }));
console.table(
  report.lanes.map(({ gaps, problems, ...lane }) => ({
    ...lane,
    gaps: JSON.stringify(gaps),
    problems: problems.length,
  })),
);
const problems = [...report.lanes.flatMap((lane) => lane.problems), ...report.unequal];
for (const problem of problems.slice(0, 40)) console.log(problem);
if (problems.length > 0) console.log(report.logs);
if (problems.length === 0) console.log('Every mirror equals a search; nothing was lost or duplicated.');
process.exit(problems.length === 0 ? 0 : 1);
