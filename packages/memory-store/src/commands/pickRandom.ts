import { failure } from '../keyspace/failure.js';
import type { IndexedTable, TableRow } from '../keyspace/values/IndexedTable.js';
import { eachInSteps, mapInSteps, type Steps } from '../steps/Steps.js';
import { assertElements } from './limits.js';

/** Maximum number of elements in one answer: more repetitions would only fill the memory. */
const MAX_REPEATED = 1_000_000;
/** Picks between two pause points. */
const PICKS_PER_STEP = 512;

/**
 * Picks rows as the commands with a count do: a positive count returns at most that many distinct rows, a negative one
 * exactly that many with repetitions.
 */
export function* pickRandom<V>(table: IndexedTable<V>, count: number): Steps<TableRow<V>[]> {
  if (table.size === 0 || count === 0) return [];
  if (count < 0) {
    assertRepeatable(count);
    return yield* mapInSteps(times(-count), () => table.random());
  }
  assertElements(Math.min(count, table.size));
  if (count >= table.size) return yield* mapInSteps(table.values(), (row) => row);
  // Few of many: draw until there are enough. Many: shuffle as far as needed.
  if (count * 3 < table.size) {
    const picked = new Set<TableRow<V>>();
    for (let draws = 1; picked.size < count; draws++) {
      picked.add(table.random() as TableRow<V>);
      if (draws % PICKS_PER_STEP === 0) yield;
    }
    return [...picked];
  }
  assertElements(table.size);
  const rows = yield* mapInSteps(table.values(), (row) => row);
  yield* eachInSteps(times(count), (at) => {
    const other = at + Math.floor(Math.random() * (rows.length - at));
    [rows[at], rows[other]] = [rows[other] as TableRow<V>, rows[at] as TableRow<V>];
  });
  return rows.slice(0, count);
}

/** The numbers from 0 below a count. */
export function* times(count: number): Iterable<number> {
  for (let at = 0; at < count; at++) yield at;
}

/** @throws if a count with repetitions is too large */
export function assertRepeatable(count: number): void {
  if (count < -MAX_REPEATED) throw failure('ERR value is out of range');
}
