// How long one filter holds the event loop, accepted or refused: parsed, normalised, registered.
//   node bench/filters/bounds.mjs [--only TEXT] [--rounds 3] [--search SECONDS] [--seed 1]
// Cold: the first call in a fresh process of nothing but the package, least of some processes. Warm: the least of many
// calls. In milliseconds of the main thread's processor time where the system reports it (Linux, Node 24), else of the
// process. `--search` tries random filters in addition and shows the worst ones.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { randomShape, SHAPES } from './shapes.mjs';

const ENGINE = '../../packages/filters/dist/index.js';
const SCHEDULER = '/proc/thread-self/schedstat';
const WARM_CALLS = 30;
const WARM_MS = 300;
const WORST = 12;

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    rounds: { type: 'string', default: '3' },
    search: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
    child: { type: 'string' },
  },
});

if (options.child === undefined) await measureAll();
else console.log(JSON.stringify(await measureHere(options.child)));

async function measureAll() {
  console.log('shape'.padEnd(34), 'cold'.padStart(7), 'warm'.padStart(7), ' outcome');
  for (const name of Object.keys(SHAPES)) if (name.includes(options.only)) print(name);
  const seconds = Number(options.search);
  if (seconds > 0) for (const seed of await search(seconds)) print(`seed ${seed}`);
}

function print(name) {
  const runs = Array.from({ length: Number(options.rounds) }, () => measureApart(name));
  const least = (key) => Math.min(...runs.map((run) => run[key])).toFixed(2);
  console.log(name.padEnd(34), least('cold').padStart(7), least('warm').padStart(7), '', runs[0].outcome);
}

function measureApart(name) {
  const own = [fileURLToPath(import.meta.url), '--child', name];
  const { stdout, stderr } = spawnSync(process.execPath, own, { encoding: 'utf8' });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
}

/** In a separate process. */
async function measureHere(name) {
  const source = JSON.stringify(filterOf(name));
  const filters = await import(ENGINE);
  const once = makeCall(filters);
  threadMs();
  const { ms: cold, outcome } = once(source);
  let warm = Infinity;
  const begin = performance.now();
  for (let i = 0; i < WARM_CALLS || performance.now() - begin < WARM_MS; i++) {
    warm = Math.min(warm, once(source).ms);
  }
  return { cold, warm, outcome };
}

function filterOf(name) {
  return name.startsWith('seed ') ? randomShape(Number(name.slice(5))) : SHAPES[name]();
}

/** A call registers the filter with a new engine, or is refused. */
function makeCall({ FilterEngine }) {
  return (source) => {
    const filter = JSON.parse(source);
    const engine = new FilterEngine();
    let outcome;
    const start = threadMs();
    try {
      outcome = engine.register('i', 'c', filter);
    } catch (error) {
      outcome = error;
    }
    const ms = threadMs() - start;
    return {
      ms,
      outcome: outcome.id === undefined ? String(outcome.message).slice(0, 80) : 'accepted',
    };
  };
}

/** Seeds whose filters take longest, warm. */
async function search(seconds) {
  const filters = await import(ENGINE);
  const call = makeCall(filters);
  const worst = [];
  const end = performance.now() + 1_000 * seconds;
  let seed = Number(options.seed);
  for (const first = seed; performance.now() < end; seed++) {
    const source = JSON.stringify(randomShape(seed));
    let ms = Infinity;
    for (let i = 0; i < 3; i++) ms = Math.min(ms, call(source).ms);
    // While the code is cold all filters seem slow.
    if (seed - first < 300) continue;
    worst.push({ seed, ms });
    worst.sort((a, b) => b.ms - a.ms);
    worst.length = Math.min(worst.length, WORST);
  }
  console.log(`Worst of ${seed - Number(options.seed)} random filters, seeds ${options.seed} to ${seed - 1}:`);
  return worst.map((each) => each.seed);
}

/** Processor time of this thread. */
function threadMs() {
  if (process.threadCpuUsage !== undefined) {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  }
  // This call brings the scheduler's own count up to date.
  const { user, system } = process.cpuUsage();
  if (!existsSync(SCHEDULER)) return (user + system) / 1_000;
  return Number(readFileSync(SCHEDULER, 'latin1').split(' ', 1)[0]) / 1e6;
}
