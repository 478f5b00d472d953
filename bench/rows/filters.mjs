// Filter matching against koncorde 4.7 and brute force over compiled closures, on the workloads of
// filters/workloads.mjs. The peer column is koncorde; brute force is in the note.
import { bruteForce } from '../filters/bruteForce.mjs';
import { openKoncorde } from '../filters/koncorde.mjs';
import { measureMemory, timeChurn, timeRegistration, timeRemoval, timeTests } from '../filters/measure.mjs';
import { ours } from '../filters/ours.mjs';
import { workload, WORKLOADS } from '../filters/workloads.mjs';

/** Up to this many filters are registered and removed several times: once takes milliseconds. */
const MAX_REPEATED = 10_000;

/** @param settings.size 1,000, 10,000 or 100,000 filters; all three without it */
export async function* rows({ rounds, isQuick, size, only }) {
  const koncorde = openKoncorde();
  const sizes = size === undefined ? (isQuick ? [1_000] : [1_000, 10_000, 100_000]) : [size];
  const timeMs = isQuick ? 50 : 300;
  for (const count of sizes) {
    for (const { name, target } of WORKLOADS) {
      if (only !== undefined && !name.includes(only)) continue;
      yield* measure({ name, target, count, koncorde, rounds, timeMs });
    }
  }
}

async function* measure({ name, target, count, koncorde, rounds, timeMs }) {
  const work = workload(name, count);
  const sides = [
    { figures: 'ours', make: ours },
    ...(koncorde === undefined ? [] : [{ figures: 'peer', make: koncorde }]),
    { figures: 'brute', make: bruteForce },
  ];
  const memory = figures();
  for (const { figures: side, make } of sides) {
    memory[side].push(measureMemory(make, work.filters, JSON.parse(work.documents[0])));
  }
  const [tests, registrations, removals] = [figures(), figures(), figures()];
  for (let turn = 0; turn < (count > MAX_REPEATED ? 0 : 2 * rounds); turn++) {
    for (const { figures: side, make } of turn % 2 === 0 ? sides : [...sides].reverse()) {
      const engine = make();
      const { perSecond, ids } = timeRegistration(engine, work.filters);
      registrations[side].push(perSecond);
      removals[side].push(timeRemoval(engine, ids));
    }
  }
  const engines = sides.map(({ figures: side, make }) => {
    const engine = make();
    const { perSecond, ids } = timeRegistration(engine, work.filters);
    registrations[side].push(perSecond);
    return { side, engine, ids };
  });
  const difference = compare(engines, work.documents.slice(0, 10));
  for (let round = -1; round < rounds; round++) {
    for (const { side, engine } of round % 2 === 0 ? engines : [...engines].reverse()) {
      const perSecond = timeTests(engine, work.documents, timeMs);
      if (round >= 0) tests[side].push(perSecond);
    }
  }
  const churn = timeChurn(engines[0].engine, work, { perSecond: 1_000, timeMs: 5 * timeMs });
  for (const { side, engine, ids } of engines) removals[side].push(timeRemoval(engine, ids));
  const title = `${name}, ${count.toLocaleString('en')} filters`;
  yield {
    title,
    unit: 'documents/s',
    ours: tests.ours,
    peer: orNone(tests.peer),
    target: count === 100_000 ? `≥ ${target.toLocaleString('en')}` : undefined,
    note: `brute force ${Math.round(median(tests.brute))}: ${times(tests.ours, tests.brute)}; ${difference}; with 1,000 changes/s p50 ${churn.p50.toFixed(1)}, p99 ${churn.p99.toFixed(1)} µs`,
  };
  yield {
    title: '… registration',
    unit: '/s',
    ours: registrations.ours,
    peer: orNone(registrations.peer),
    target: '≥ 2',
  };
  yield { title: '… removal', unit: '/s', ours: removals.ours, peer: orNone(removals.peer), target: '≥ 2' };
  yield { title: '… memory', unit: 'B/filter', ours: memory.ours, peer: orNone(memory.peer), target: '≤ 0.25' };
}

/** Do all sides find the same filters? Brute force names them by number, so sets are compared by our identifiers. */
function compare(engines, sources) {
  const [mine] = engines;
  const brute = engines.at(-1);
  const peer = engines.length > 2 ? engines[1] : undefined;
  let [found, extra, missing] = [0, 0, 0];
  for (const source of sources) {
    const document = JSON.parse(source);
    const expected = new Set(brute.engine.test(document).map((i) => mine.ids[i]));
    const answer = mine.engine.test(document);
    if (answer.length !== expected.size || answer.some((id) => !expected.has(id))) {
      throw new Error(`Our matches differ from brute force on ${source}`);
    }
    found += answer.length;
    if (peer === undefined) continue;
    const theirs = peer.engine.test(document).length;
    extra += Math.max(0, theirs - answer.length);
    missing += Math.max(0, answer.length - theirs);
  }
  const differing = extra + missing === 0 ? '' : ` (koncorde ${extra} more, ${missing} fewer)`;
  return `${(found / sources.length).toFixed(1)} matches/document${differing}`;
}

function figures() {
  return { ours: [], peer: [], brute: [] };
}

function orNone(values) {
  return values.length === 0 ? undefined : values;
}

function median(values) {
  return [...values].sort((a, b) => a - b)[values.length >> 1];
}

function times(mine, theirs) {
  const ratio = median(mine) / median(theirs);
  return `${ratio >= 10 ? Math.round(ratio) : ratio.toFixed(2)} ×`;
}
