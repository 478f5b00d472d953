// `pnpm bench compare <commit>`: the working tree and a commit, each as a server in a separate process, under the same load.
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { askPeer, forkPeer } from '../forkPeer.mjs';
import { inTurn } from '../inTurn.mjs';
import { quantile } from '../quantile.mjs';
import { ServerProcess } from '../ServerProcess.mjs';
import { buildCommit } from './buildCommit.mjs';
import { scenarios } from './scenarios.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const REPORT_FOOTPRINT = ['--expose-gc', '--import', new URL('footprint.mjs', import.meta.url).href];
const IDLE_SOCKETS = 1_000;
const REST_MS = 1_500;
const MEBIBYTE = 1_048_576;
/** Rows that are measured together, in addition to those of the scenarios: their figures by title. */
const HEAPS = { 'live heap at rest, main thread': 'atRest', 'live heap of 1,000 idle WebSockets': 'ofSockets' };
const OF_START = { start: 'ms', 'start, processor time': 'cpuMs' };
const MEMORY = { 'RSS at rest': 'rss', 'PSS at rest': 'pss' };
const FOOTPRINT = Object.keys({ ...HEAPS, ...OF_START, ...MEMORY });
/** In one pair of processes. */
const STARTS = 3;
const [WARM_UP_SLICES, SLICES] = [4, 16];

/**
 * Compares the working tree with a commit and prints a table. Rows that seem worse are measured again with other processes,
 * and are named if they seem so once more.
 * @param settings.isShort processor time of requests alone: measures each row with one pair of processes, and those that
 *   are dearer by a tenth again with three others (or `pairs`), by which it names rows that are dearer by a quarter.
 *   Otherwise a row is worse if its ratio is above 1 in every pair of processes, and above 1.02 in the median: a process
 *   keeps its luck (compilation, layout of memory) for as long as it runs, so that pairs count, not slices. Between equal
 *   builds all of 7 pairs are above 1 by a chance of 1 in 128: one run of 15 rows in ten, and both times one in a thousand.
 * @returns the titles of the rows that are worse
 */
export async function compare(name, { pairs, only = '', isShort }) {
  const { folder, commit } = buildCommit(name);
  const folders = { ours: ROOT, peer: folder };
  const full = { pairs: pairs ?? 7, isWorse: isWorseThroughout };
  const [first, again] = isShort
    ? [
        { pairs: 1, isWorse: isDearBy(0.1) },
        { pairs: pairs ?? 3, isWorse: isDearBy(0.25) },
      ]
    : [full, full];
  const isWanted = (title) => title.includes(only);
  const suspects = print(commit, await measure(folders, first.pairs, isWanted, !isShort), first.isWorse);
  if (suspects.length === 0) return [];
  console.log('measured again with other processes:');
  const isSuspect = (title) => suspects.includes(title);
  return print(commit, await measure(folders, again.pairs, isSuspect, !isShort), again.isWorse);
}

function isWorseThroughout(ratios) {
  return median(ratios) > 1.02 && ratios.every((ratio) => ratio > 1);
}

const isDearBy = (share) => (ratios) => median(ratios) > 1 + share;

/** @returns rows: their `figures` have `[ours, peer]` of each pair of processes */
async function measure(folders, pairs, isWanted, withFootprint) {
  const rows = new Map();
  const hasFootprint = withFootprint && FOOTPRINT.some(isWanted);
  for (let pair = 0; pair < pairs; pair++) {
    const sides = { ours: openSide(folders.ours), peer: openSide(folders.peer) };
    /** Calls it for both; a round that is odd begins with the other side. */
    const both = (round, work) => inTurn(pair + round, { ours: () => work(sides.ours), peer: () => work(sides.peer) });
    const add = (title, unit, figures) => {
      if (!isWanted(title)) return;
      if (!rows.has(title)) rows.set(title, { title, unit, figures: [] });
      rows.get(title).figures.push(figures);
    };
    try {
      if (hasFootprint) await measureFootprint(both, add);
      else await both(0, start);
      for (const scenario of scenarios.filter(({ title }) => isWanted(title)))
        await measureScenario(scenario, both, add);
    } finally {
      for (const { server } of Object.values(sides)) server.kill();
    }
  }
  return [...rows.values()];
}

/**
 * Slices of some 0.1 s: what else the machine does changes both sides alike. A server that waits uses no processor time, so
 * the ticks of 10 ms are those of the whole sum.
 */
async function measureScenario({ title, count, prepare }, both, add) {
  await both(0, async (side) => (side.run = await prepare(side.server.ports)));
  const run = async (slices) => {
    for (let slice = 0; slice < slices; slice++) await both(slice, (side) => side.run(count));
  };
  await run(WARM_UP_SLICES);
  const cpuSeconds = () => both(0, ({ server }) => server.sample().cpuSeconds);
  const before = await cpuSeconds();
  await run(SLICES);
  const after = await cpuSeconds();
  const used = after.map((seconds, side) => seconds - before[side]);
  add(
    title,
    'µs',
    used.map((seconds) => (seconds / count / SLICES) * 1e6),
  );
}

const openSide = (folder) => ({
  server: new ServerProcess(),
  entry: join(folder, 'packages/server/bin/millrace.js'),
});

const start = ({ server, entry }, execArgv) => server.start(entry, { execArgv, logLevel: 'error' });

/** Leaves both servers running, on the data folder of an earlier start. */
async function measureFootprint(both, add) {
  const heaps = await both(0, async (side) => {
    await start(side, REPORT_FOOTPRINT);
    const { process: child, ports } = side.server;
    const empty = await askPeer(child, 'memory');
    const { child: audience } = await forkPeer('websocketAudience', [ports.websocket, IDLE_SOCKETS]);
    const full = await askPeer(child, 'memory');
    audience.kill();
    await side.server.stop();
    return {
      atRest: empty.heapBytes / MEBIBYTE,
      ofSockets: (full.heapBytes - empty.heapBytes) / MEBIBYTE,
    };
  });
  const addEach = (titles, unit, figures) => {
    for (const [title, key] of Object.entries(titles))
      add(
        title,
        unit,
        figures.map((each) => each[key]),
      );
  };
  addEach(HEAPS, 'MiB', heaps);
  const starts = [];
  for (let round = 0; round < STARTS; round++) starts.push(await both(round, measureStart));
  const meanOf = (side, key) => starts.reduce((sum, each) => sum + each[side][key], 0) / STARTS;
  addEach(
    OF_START,
    'ms',
    [0, 1].map((side) => ({ ms: meanOf(side, 'ms'), cpuMs: meanOf(side, 'cpuMs') })),
  );
  await delay(REST_MS);
  const memory = await both(0, ({ server }) => ({
    rss: server.sample().rssBytes / MEBIBYTE,
    pss: server.proportionalBytes() / MEBIBYTE,
  }));
  addEach(MEMORY, 'MiB', memory);
}

async function measureStart(side) {
  await side.server.stop();
  const startMs = performance.now();
  await start(side);
  return { ms: performance.now() - startMs, cpuMs: side.server.sample().cpuSeconds * 1_000 };
}

/** @returns the titles of the rows for whose ratios, one of each pair of processes, `isWorse` says so */
function print(commit, rows, isWorse) {
  console.log(`\n| row | ${commit.slice(0, 8)} | working tree | × | quartiles | |`);
  console.log('|---|---|---|---|---|---|');
  const worse = [];
  for (const { title, unit, figures } of rows) {
    const ratios = figures.map(([ours, peer]) => ours / peer);
    const [ours, peer] = [0, 1].map((side) => `${median(figures.map((pair) => pair[side])).toPrecision(3)} ${unit}`);
    const [low, middle, high] = [0.25, 0.5, 0.75].map((part) => quantile(ratios, part).toFixed(3));
    let verdict = '';
    if (isWorse(ratios)) {
      worse.push(title);
      verdict = '**worse**';
    } else if (isWorse(ratios.map((ratio) => 1 / ratio))) verdict = 'better';
    console.log(`| ${title} | ${peer} | ${ours} | ${middle} | ${low} to ${high} | ${verdict} |`);
  }
  console.log(worse.length === 0 ? '\nno row is worse' : `\nworse: ${worse.join(', ')}`);
  return worse;
}

const median = (figures) => quantile(figures, 0.5);
