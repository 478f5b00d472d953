import { failure } from './failure.js';
import type { IndexedTable, TableRow } from './values/IndexedTable.js';

/** Elements of one answer: more with repetitions would only serve to fill the memory. */
const MAX_REPEATED = 1_000_000;

/**
 * Rows as the commands with a count pick them: a positive count gives that many different rows at most, a negative one
 * exactly that many with repetitions.
 */
export function pickRandom<V>(table: IndexedTable<V>, count: number): TableRow<V>[] {
  if (table.size === 0 || count === 0) return [];
  if (count < 0) {
    assertRepeatable(count);
    return Array.from({ length: -count }, () => table.random() as TableRow<V>);
  }
  if (count >= table.size) return [...table.values()];
  // Few of many: draw until there are enough. Many: shuffle as far as needed.
  if (count * 3 < table.size) {
    const picked = new Set<TableRow<V>>();
    while (picked.size < count) picked.add(table.random() as TableRow<V>);
    return [...picked];
  }
  const rows = [...table.values()];
  for (let at = 0; at < count; at++) {
    const other = at + Math.floor(Math.random() * (rows.length - at));
    [rows[at], rows[other]] = [rows[other] as TableRow<V>, rows[at] as TableRow<V>];
  }
  return rows.slice(0, count);
}

/** @throws where a count with repetitions is beyond all measure */
export function assertRepeatable(count: number): void {
  if (count < -MAX_REPEATED) throw failure('ERR value is out of range');
}
