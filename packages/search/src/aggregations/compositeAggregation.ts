import { type JsonValue, createDateRounding } from '@millrace/language';
import { dateKeyWriter, type CompiledField, type BoundSource } from '@millrace/query';
import type { NumberColumn } from '../columns/NumberColumn.js';
import type { TermColumn } from '../columns/TermColumn.js';
import { showTerm } from '../fields/TermField.js';
import { Refusal } from '../Refusal.js';
import type { AggregationRun, Compute } from './AggregationRun.js';
import { isNumeric } from './valueSource.js';

/*
 * Every combination of the sources' values is a bucket, in the order of the sources; `after` skips the buckets of
 * earlier pages. Values are compared as numbers: a term by its rank, a missing value by the minimum or maximum of the
 * scale. A map of joined keys numbers all combinations of the page's documents.
 */

/** A compiled source: the values of a document as numbers that sort in the source's order. */
interface ReadySource {
  readonly name: string;
  keysOf(slot: number): readonly number[];
  show(key: number): JsonValue;
  /** The key of a bound value of `after`. */
  keyOf(value: number | string | null): number;
}

interface Combination {
  readonly keys: readonly number[];
  readonly slots: number[];
}

/** Limit of combinations per document; more are treated as hostile. */
const MAX_COMBINATIONS_PER_DOCUMENT = 100_000;

export const compositeAggregation: Compute<'composite'> = (aggregation, slots, run) => {
  const sources = aggregation.sources.map((source) => readySource(source, run));
  const after = aggregation.afterValues?.map((value, i) => (sources[i] as ReadySource).keyOf(value));
  const combinations = new Map<string, Combination>();
  let sinceCheck = 0;
  for (let i = 0; i < slots.length; i += 1) {
    const slot = slots[i] as number;
    const combined = combine(sources, slot, aggregation.path);
    // A document may be in thousands of buckets.
    sinceCheck += 1 + combined.length;
    if (sinceCheck > 4096) {
      run.scope.deadline.check();
      sinceCheck = 0;
    }
    for (const keys of combined) {
      if (after !== undefined && compareKeys(keys, after) <= 0) continue;
      const joined = keys.join();
      const known = combinations.get(joined);
      if (known === undefined) combinations.set(joined, { keys, slots: [slot] });
      else known.slots.push(slot);
    }
  }
  const page = [...combinations.values()].sort((a, b) => compareKeys(a.keys, b.keys)).slice(0, aggregation.size);
  run.addBuckets(page.length, aggregation.path);
  const show = (keys: readonly number[]) =>
    Object.fromEntries(sources.map((source, i) => [source.name, source.show(keys[i] as number)]));
  const buckets = page.map(({ keys, slots: inside }) =>
    run.bucket({ key: show(keys), doc_count: inside.length }, aggregation.aggregations, Int32Array.from(inside)),
  );
  const last = page.at(-1);
  return last === undefined ? { buckets } : { after_key: show(last.keys), buckets };
};

function compareKeys(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < a.length; i += 1) {
    const [x, y] = [a[i] as number, b[i] as number];
    if (x !== y) return x < y ? -1 : 1;
  }
  return 0;
}

function combine(sources: readonly ReadySource[], slot: number, path: string): readonly (readonly number[])[] {
  let combined: readonly (readonly number[])[] = [[]];
  for (const source of sources) {
    const keys = source.keysOf(slot);
    if (keys.length === 0) return [];
    if (combined.length * keys.length > MAX_COMBINATIONS_PER_DOCUMENT) {
      throw new Refusal(`A document has too many combinations of values (at ${path})`);
    }
    combined = combined.flatMap((tuple) => keys.map((key) => [...tuple, key]));
  }
  return combined;
}

function readySource(source: BoundSource, run: AggregationRun): ReadySource {
  const { mapped: field } = source;
  const sign = source.order === 'desc' ? -1 : 1;
  // By default missing values sort lowest.
  const isMissingFirst = source.missingOrder === 'default' ? source.order === 'asc' : source.missingOrder === 'first';
  const missingKey = isMissingFirst ? -Infinity : Infinity;
  const whenMissing: readonly number[] = source.missingBucket ? [missingKey] : [];
  const isTerms = source.kind === 'terms' && field !== undefined && !isNumeric(field);
  const values = isTerms ? termValues(field, run) : numberValues(source, field, run);
  return {
    name: source.name,
    keysOf: (slot) => {
      const keys = values.keysOf(slot);
      return keys.length === 0 ? whenMissing : keys.map((key) => sign * key + 0);
    },
    show: (key) => (key === missingKey ? null : values.show(sign * key + 0)),
    keyOf: (value) => (value === null ? missingKey : sign * values.keyOf(value)),
  };
}

interface SourceValues {
  keysOf(slot: number): readonly number[];
  show(key: number): JsonValue;
  keyOf(value: number | string): number;
}

function termValues(field: CompiledField, run: AggregationRun): SourceValues {
  const index = run.scope.index.indexOf(field);
  const column: TermColumn | undefined = index?.kind === 'term' || index?.kind === 'text' ? index.column : undefined;
  if (column === undefined) return { keysOf: () => [], show: () => null, keyOf: () => 0 };
  const { dictionary } = column;
  const ranks = dictionary.ranks();
  const order = dictionary.inOrder();
  return {
    keysOf: (slot) => {
      const code = column.codeAt(slot);
      if (code >= 0) return [ranks[code] as number];
      const several = code === -1 ? [] : (column.more.get(slot) ?? []);
      return Array.from(several, (one) => ranks[one] as number);
    },
    show: (key) => showTerm(field, dictionary.term(order[key] as number)),
    keyOf: (value) => {
      const term = String(value);
      const rank = dictionary.rankOf(term);
      return dictionary.find(term) === undefined ? rank - 0.5 : rank;
    },
  };
}

function numberValues(source: BoundSource, field: CompiledField | undefined, run: AggregationRun): SourceValues {
  const { path } = source;
  const index = field === undefined ? undefined : run.scope.index.indexOf(field);
  const column = index?.kind === 'number' ? index.column : undefined;
  const toKey = keyFunction(source);
  const write =
    source.kind === 'date_histogram'
      ? dateKeyWriter(source)
      : source.kind === 'histogram' && field?.type === 'date'
        ? dateKeyWriter({ format: field.dateFormat.text, path })
        : undefined;
  return {
    keysOf: (slot) => (column === undefined ? [] : distinctKeys(column, slot, toKey)),
    show: (key) => (field?.type === 'boolean' ? key !== 0 : (write?.(key) ?? key)),
    keyOf: Number,
  };
}

function keyFunction(source: BoundSource): (value: number) => number {
  switch (source.kind) {
    case 'terms':
      return (value) => value;
    case 'histogram':
      return (value) => Math.floor(value / source.interval) * source.interval;
    case 'date_histogram': {
      const { interval, timeZone, offsetMs } = source;
      const rounding = createDateRounding({ interval, timeZone, offsetMs });
      return (ms) => rounding.round(ms);
    }
  }
}

function distinctKeys(column: NumberColumn, slot: number, toKey: (value: number) => number): readonly number[] {
  const first = column.first(slot);
  if (Number.isNaN(first)) return [];
  const several = column.more.size === 0 ? undefined : column.more.get(slot);
  return several === undefined ? [toKey(first)] : [...new Set(Array.from(several, toKey))];
}
