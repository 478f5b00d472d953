import { decodeGeohash, encodeGeohash, type GeohashGridAggregation } from '@millrace/query';
import { Refusal } from '../Refusal.js';
import type { AggregationResult, AggregationRun } from './AggregationRun.js';
import {
  countBuckets,
  groupSlots,
  NO_BUCKET,
  SEVERAL_BUCKETS,
  type Bucketing,
} from './Bucketing.js';
import { aggregatedField } from './valueSource.js';

/** `geohash_grid`: a bucket per cell that holds a point, the fullest first. */
export function geohashGridAggregation(
  aggregation: GeohashGridAggregation,
  slots: Int32Array,
  run: AggregationRun,
): AggregationResult {
  const field = aggregatedField(aggregation, run.scope);
  if (field === undefined) return { buckets: [] };
  if (field.type !== 'geo_point') {
    throw new Refusal(
      `geohash_grid needs a geo_point field, and "${field.name}" is of type ${field.type} (at ${aggregation.path})`,
    );
  }
  const { bucketing, cells } = cellBucketing(aggregation, slots, run);
  const counts = countBuckets(bucketing, slots);
  const chosen = cells
    .map((key, ordinal) => ({ key, ordinal, count: counts[ordinal] as number }))
    .sort((a, b) => b.count - a.count || (a.key < b.key ? -1 : 1))
    .slice(0, aggregation.size);
  run.addBuckets(chosen.length, aggregation.path);
  const { aggregations } = aggregation;
  const ordinals = chosen.map(({ ordinal }) => ordinal);
  const groups =
    aggregations.length > 0 ? groupSlots(bucketing, slots, ordinals, counts) : undefined;
  return {
    buckets: chosen.map(({ key, count }, i) =>
      run.bucket({ key, doc_count: count }, aggregations, groups?.[i]),
    ),
  };
}

function cellBucketing(
  aggregation: GeohashGridAggregation,
  slots: Int32Array,
  run: AggregationRun,
): { readonly bucketing: Bucketing; readonly cells: readonly string[] } {
  const field = aggregatedField(aggregation, run.scope);
  const index = field && run.scope.index.indexOf(field);
  const cells: string[] = [];
  const ordinalOfKey = new Map<string, number>();
  const ordinalOfCell = new Map<number, number>();
  const cellOf = cellNumber(aggregation.precision);
  const numberKey = (lat: number, lon: number): number => {
    const key = encodeGeohash({ lat, lon }, aggregation.precision);
    let ordinal = ordinalOfKey.get(key);
    if (ordinal === undefined) {
      ordinal = touches(aggregation.bounds, key) ? cells.push(key) - 1 : NO_BUCKET;
      ordinalOfKey.set(key, ordinal);
    }
    return ordinal;
  };
  const ordinalAt = (lat: number, lon: number): number => {
    if (cellOf === undefined) return numberKey(lat, lon);
    const cell = cellOf(lat, lon);
    let ordinal = ordinalOfCell.get(cell);
    if (ordinal === undefined) {
      ordinal = numberKey(lat, lon);
      ordinalOfCell.set(cell, ordinal);
    }
    return ordinal;
  };
  const ordinals = new Int32Array(slots.length).fill(NO_BUCKET);
  const more = new Map<number, Int32Array>();
  for (let i = 0; i < slots.length; i += 1) {
    if ((i & 4095) === 4095) run.scope.deadline.check();
    const slot = slots[i] as number;
    if (index?.kind !== 'point') break;
    const { column } = index;
    if (column.has(slot) && !column.more.has(slot)) {
      ordinals[i] = ordinalAt(column.lats[slot] as number, column.lons[slot] as number);
      continue;
    }
    const found = column.pointsOf(slot, ordinalAt);
    const distinct = [...new Set(found)].filter((ordinal) => ordinal !== NO_BUCKET);
    if (distinct.length > 1) {
      ordinals[i] = SEVERAL_BUCKETS;
      more.set(slot, Int32Array.from(distinct));
    } else ordinals[i] = distinct[0] ?? NO_BUCKET;
  }
  const bucketing = {
    size: cells.length,
    ordinals,
    isByPosition: true,
    more,
    missingOrdinal: NO_BUCKET,
  };
  return { bucketing, cells };
}

/**
 * Numbers the cells of a precision, so that most points need no text: the halvings of longitude and latitude that make a
 * geohash are the first binary digits of both. Undefined where a number would not hold them all.
 */
function cellNumber(precision: number): ((lat: number, lon: number) => number) | undefined {
  const bits = precision * 5;
  if (bits > 50) return undefined;
  const columns = 2 ** Math.ceil(bits / 2);
  const rows = 2 ** Math.floor(bits / 2);
  return (lat, lon) => {
    const column = Math.min(columns - 1, Math.floor(((lon + 180) / 360) * columns));
    const row = Math.min(rows - 1, Math.floor(((lat + 90) / 180) * rows));
    return row * columns + column;
  };
}

/** As Elasticsearch: a cell counts as a whole where it overlaps the bounds. */
function touches(bounds: GeohashGridAggregation['bounds'], key: string): boolean {
  const cell = bounds && decodeGeohash(key);
  if (bounds === undefined || cell === undefined) return true;
  const { topLeft, bottomRight } = bounds;
  if (topLeft.lat <= cell.south || bottomRight.lat >= cell.north) return false;
  const isEastOfLeft = topLeft.lon < cell.east;
  const isWestOfRight = bottomRight.lon > cell.west;
  return topLeft.lon <= bottomRight.lon
    ? isEastOfLeft && isWestOfRight
    : isEastOfLeft || isWestOfRight;
}
