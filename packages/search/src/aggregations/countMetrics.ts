import type { Point } from '@millrace/language';
import type { PointColumn } from '../columns/PointColumn.js';
import type { TermColumn } from '../columns/TermColumn.js';
import type { Compute } from './AggregationRun.js';
import { gatherValues, isNumeric, missingTerm, numberSource } from './valueSource.js';

/** `value_count`: counts values, not documents; for keywords, distinct values per document. */
export const valueCount: Compute<'value_count'> = (aggregation, slots, run) => {
  const { mapped: field } = aggregation;
  if (field === undefined || isNumeric(field)) {
    if (field === undefined) return { value: aggregation.missing === undefined ? 0 : slots.length };
    const source = numberSource(aggregation, run.scope);
    return { value: gatherValues(source, slots).length };
  }
  const index = run.scope.index.indexOf(field);
  const perMissing = aggregation.missing === undefined ? 0 : 1;
  let count = 0;
  for (const slot of slots) {
    let own = 0;
    if (index?.kind === 'point') own = (index.column.more.get(slot)?.length ?? (index.column.has(slot) ? 2 : 0)) / 2;
    else if (index?.kind === 'term' || index?.kind === 'text') own = termsOf(index.column, slot);
    count += own === 0 ? perMissing : own;
  }
  return { value: count };
};

function termsOf(column: TermColumn | undefined, slot: number): number {
  const code = column?.codeAt(slot) ?? -1;
  if (code >= 0) return 1;
  return code === -1 ? 0 : (column?.more.get(slot)?.length ?? 0);
}

/** `cardinality`: exact. */
export const cardinality: Compute<'cardinality'> = (aggregation, slots, run) => {
  const { mapped: field, missing, missingValue } = aggregation;
  if (field === undefined) return { value: missing === undefined || slots.length === 0 ? 0 : 1 };
  if (isNumeric(field)) {
    const source = numberSource(aggregation, run.scope);
    return { value: distinctNumbers(gatherValues(source, slots)) };
  }
  const index = run.scope.index.indexOf(field);
  if (index?.kind === 'point') {
    const point = typeof missingValue === 'object' ? missingValue : undefined;
    return { value: distinctPoints(index.column, slots, point) };
  }
  const column = index?.kind === 'term' || index?.kind === 'text' ? index.column : undefined;
  if (column === undefined) return { value: missing === undefined || slots.length === 0 ? 0 : 1 };
  return { value: distinctTerms(column, slots, missingTerm(aggregation)) };
};

function distinctNumbers(values: Float64Array): number {
  const sorted = values.length > 1_000 ? values.slice().sort() : undefined;
  if (sorted === undefined) return new Set(values).size;
  let count = 1;
  for (let i = 1; i < sorted.length; i += 1) if (sorted[i] !== sorted[i - 1]) count += 1;
  return count;
}

/** @param missing counts for documents without a point */
function distinctPoints(column: PointColumn, slots: Int32Array, missing: Point | undefined): number {
  const seen = new Set<string>();
  let lacks = false;
  for (const slot of slots) {
    const keys = column.pointsOf(slot, (lat, lon) => `${lat},${lon}`);
    for (const key of keys) seen.add(key);
    if (keys.length === 0) lacks = true;
  }
  if (lacks && missing !== undefined) seen.add(`${missing.lat},${missing.lon}`);
  return seen.size;
}

function distinctTerms(column: TermColumn, slots: Int32Array, missing: string | undefined): number {
  const isSeen = new Uint8Array(column.dictionary.size);
  let count = 0;
  let lacks = false;
  const see = (code: number) => {
    if (isSeen[code] === 0) count += 1;
    isSeen[code] = 1;
  };
  for (const slot of slots) {
    const code = column.codeAt(slot);
    if (code >= 0) see(code);
    else if (code === -1) lacks = true;
    else for (const one of column.more.get(slot) as Int32Array) see(one);
  }
  if (!lacks || missing === undefined) return count;
  const known = column.dictionary.find(missing);
  return known !== undefined && isSeen[known] === 1 ? count : count + 1;
}
