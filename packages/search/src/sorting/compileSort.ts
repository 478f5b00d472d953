import { arcDistance, planeDistance } from '@millrace/language';
import { type BoundQuery, type FieldSort, type GeoDistanceSort, type Sort } from '@millrace/query';
import type { PointField } from '../fields/FieldIndex.js';
import { scoreAt, type Matches } from '../queries/Matches.js';
import { Refusal, unsupported } from '../Refusal.js';
import { visibleIndex, type SearchScope } from '../SearchScope.js';
import { isRestricted } from '../index/restrictIndex.js';
import { nestedValues } from './nestedValues.js';
import { numberFieldKey } from './numberFieldKey.js';
import { numberOf } from './searchAfter.js';
import type { NumberSortKey, SortKey, TextSortKey } from './SortKey.js';
import { reduceByMode } from './sortModes.js';
import { termFieldKey } from './termFieldKey.js';

/** Computes a criterion for the matches. @throws Refusal */
export function compileSort(sort: Sort<BoundQuery>, matches: Matches, scope: SearchScope): SortKey {
  scope.deadline.check();
  switch (sort.kind) {
    case 'score':
      return scoreKey(matches, sort.order === 'desc');
    case 'doc':
      return docKey(matches, sort.order === 'desc', scope);
    case 'id':
      return idKey(matches, sort.order === 'desc', scope);
    case 'field':
      return fieldKey(sort, matches, scope);
    case 'geoDistance':
      return distanceKey(sort, matches, scope);
  }
}

function scoreKey(matches: Matches, isDescending: boolean): NumberSortKey {
  const sign = isDescending ? -1 : 1;
  const keys = new Float64Array(matches.slots.length);
  for (let i = 0; i < keys.length; i += 1) keys[i] = sign * Math.fround(scoreAt(matches, i));
  return plainKey(keys, sign);
}

function docKey({ slots }: Matches, isDescending: boolean, { index }: SearchScope): NumberSortKey {
  const sign = isDescending ? -1 : 1;
  // The values are shown: slots would tell how many documents there are outside a view.
  const shown = isRestricted(index) ? ranksIn(index.living(), slots) : slots;
  return plainKey(
    Float64Array.from(shown, (each) => sign * each),
    sign,
  );
}

/** The positions of some slots among those of a view. */
function ranksIn(view: Int32Array, slots: Int32Array): Int32Array {
  const rankOf = new Map<number, number>();
  view.forEach((slot, rank) => rankOf.set(slot, rank));
  return slots.map((slot) => rankOf.get(slot) ?? 0);
}

function plainKey(keys: Float64Array, sign: 1 | -1): NumberSortKey {
  return {
    kind: 'number',
    keys,
    show: (position) => {
      const value = sign * (keys[position] as number) + 0;
      return Number.isFinite(value) ? value : String(value);
    },
    keyOf: (value) => sign * numberOf(value),
  };
}

function idKey(matches: Matches, isDescending: boolean, scope: SearchScope): TextSortKey {
  const ids = scope.loadIds();
  const textAt = (position: number) => ids[matches.slots[position] as number] as string;
  return {
    kind: 'text',
    isDescending,
    textAt,
    show: textAt,
    textOf: (value) => (typeof value === 'string' ? value : JSON.stringify(value)),
  };
}

function fieldKey(sort: FieldSort<BoundQuery>, matches: Matches, scope: SearchScope): SortKey {
  if (sort.numericType === 'date_nanos') throw unsupported('"numeric_type": "date_nanos"', sort.path);
  const field = scope.index.mapping.fields.get(sort.field);
  if (field === undefined) return unmappedKey(sort, matches, scope.nowMs);
  if (!field.hasDocValues || field.type === 'geo_point' || field.type === 'geo_shape') {
    throw new Refusal(`The field "${field.name}" of type ${field.type} can't be sorted by (at ${sort.path})`);
  }
  const { nested } = sort;
  // Without `nested`, the values of a nested field aren't values of the document.
  const index = nested === undefined ? visibleIndex(scope, field.name) : nestedValues(field, nested, scope);
  if (field.type === 'keyword' || field.type === 'ip' || field.type === 'text') {
    const column = index?.kind === 'term' || index?.kind === 'text' ? index.column : undefined;
    return termFieldKey(sort, field, column, matches);
  }
  return numberFieldKey(sort, field, index?.kind === 'number' ? index.column : undefined, matches, scope.nowMs);
}

function unmappedKey(sort: FieldSort, matches: Matches, nowMs: number): NumberSortKey {
  const { unmappedType } = sort;
  if (unmappedType === undefined) {
    throw new Refusal(
      `No mapping for the sort field "${sort.field}" (at ${sort.path}): name a mapped field, or give "unmapped_type"`,
    );
  }
  const isText = unmappedType === 'keyword' || unmappedType === 'ip';
  if (!isText) return numberFieldKey(sort, undefined, undefined, matches, nowMs);
  const shown = typeof sort.missing === 'object' ? String(sort.missing.value) : null;
  // All documents are equal.
  const keys = new Float64Array(matches.slots.length);
  return { kind: 'number', keys, show: () => shown, keyOf: () => 0 };
}

function distanceKey(sort: GeoDistanceSort<BoundQuery>, matches: Matches, scope: SearchScope): NumberSortKey {
  const { nested } = sort;
  const field = scope.index.mapping.fields.get(sort.field);
  if (field === undefined && !sort.ignoreUnmapped) {
    throw new Refusal(`No mapping for the sort field "${sort.field}" (at ${sort.path})`);
  }
  if (field !== undefined && field.type !== 'geo_point') {
    throw new Refusal(
      `_geo_distance needs a geo_point field, and "${field.name}" is of type ${field.type} (at ${sort.path})`,
    );
  }
  const index =
    nested === undefined || field === undefined ? visibleIndex(scope, sort.field) : nestedValues(field, nested, scope);
  const sign = sort.order === 'desc' ? -1 : 1;
  const keys = new Float64Array(matches.slots.length);
  for (let i = 0; i < keys.length; i += 1) {
    if ((i & 31) === 31) scope.deadline.check();
    const metres = index?.kind === 'point' ? distanceOf(index, matches.slots[i] as number, sort) : Infinity;
    // A document without a point is infinitely far away, so it is first in descending order.
    keys[i] = (sign * metres) / sort.metresPerUnit;
  }
  return {
    kind: 'number',
    keys,
    show: (position) => {
      const key = keys[position] as number;
      return Math.abs(key) === Infinity ? 'Infinity' : sign * key + 0;
    },
    keyOf: (value) => {
      return sign * numberOf(value);
    },
  };
}

/** Metres; Infinity if the document has no point. */
function distanceOf(index: Pick<PointField, 'column'>, slot: number, sort: GeoDistanceSort): number {
  const { column } = index;
  if (!column.has(slot)) return Infinity;
  const measure = sort.distanceType === 'arc' ? arcDistance : planeDistance;
  const [point] = sort.points;
  const several = column.more.get(slot);
  if (several === undefined && sort.points.length === 1 && point !== undefined) {
    return measure(point.lat, point.lon, column.lats[slot] as number, column.lons[slot] as number);
  }
  const distances: number[] = [];
  for (const { lat, lon } of sort.points) {
    column.pointsOf(slot, (otherLat, otherLon) => distances.push(measure(lat, lon, otherLat, otherLon)));
  }
  distances.sort((a, b) => a - b);
  return reduceByMode(distances, sort.mode, false);
}
