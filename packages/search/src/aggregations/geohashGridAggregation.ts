import { decodeGeohash } from '@millrace/language';
import { type BoundAggregation } from '@millrace/query';
import { Refusal } from '../Refusal.js';
import type { AggregationRun, Compute } from './AggregationRun.js';
import { countBuckets, groupSlots, NO_BUCKET, SEVERAL_BUCKETS, type Bucketing } from './Bucketing.js';
import { GeohashCells } from './GeohashCells.js';

/** `geohash_grid`: a bucket per cell with points, sorted by descending count. */
export const geohashGridAggregation: Compute<'geohash_grid'> = (aggregation, slots, run) => {
  const { mapped: field } = aggregation;
  if (field !== undefined && field.type !== 'geo_point') {
    throw new Refusal(
      `geohash_grid needs a geo_point field, and "${field.name}" is of type ${field.type} (at ${aggregation.path})`,
    );
  }
  const cells = new GeohashCells(aggregation.precision, slots.length);
  const bucketing = cellBucketing(aggregation, cells, slots, run);
  const counts = countBuckets(bucketing, slots);
  const ordinals = fullestCells(aggregation, cells, counts);
  run.addBuckets(ordinals.length, aggregation.path);
  const { aggregations } = aggregation;
  const groups = aggregations.length > 0 ? groupSlots(bucketing, slots, ordinals, counts) : undefined;
  return {
    buckets: ordinals.map((ordinal, i) =>
      run.bucket({ key: cells.keyOf(ordinal), doc_count: counts[ordinal] }, aggregations, groups?.[i]),
    ),
  };
};

/** The cells to return: by descending count, then by descending geohash. */
function fullestCells(
  { bounds, size }: BoundAggregation<'geohash_grid'>,
  cells: GeohashCells,
  counts: Int32Array,
): number[] {
  const filled: number[] = [];
  for (let ordinal = 0; ordinal < counts.length; ordinal += 1) {
    if (counts[ordinal] === 0) continue;
    if (bounds === undefined || touches(bounds, cells.keyOf(ordinal))) filled.push(ordinal);
  }
  // Cells with fewer documents than the last returned one needn't be sorted.
  const fullness = Int32Array.from(filled, (ordinal) => -(counts[ordinal] as number)).sort();
  const least = -(fullness[Math.min(size, fullness.length) - 1] ?? 0);
  return filled
    .filter((ordinal) => (counts[ordinal] as number) >= least)
    .sort((a, b) => (counts[b] as number) - (counts[a] as number) || cells.compare(b, a))
    .slice(0, size);
}

function cellBucketing(
  { mapped, missingValue }: BoundAggregation<'geohash_grid'>,
  cells: GeohashCells,
  slots: Int32Array,
  run: AggregationRun,
): Bucketing {
  const index = mapped && run.scope.index.indexOf(mapped);
  const ordinals = new Int32Array(slots.length).fill(NO_BUCKET);
  const more = new Map<number, Int32Array>();
  const ordinalAt = (lat: number, lon: number) => cells.ordinalOf(lat, lon);
  if (index?.kind === 'point') {
    const { column } = index;
    const { lats, lons, length } = column;
    for (let i = 0; i < slots.length; i += 1) {
      if ((i & 4095) === 4095) run.scope.deadline.check();
      const slot = slots[i] as number;
      if (column.more.size > 0 && column.more.has(slot)) {
        const distinct = [...new Set(column.pointsOf(slot, ordinalAt))];
        ordinals[i] = distinct.length > 1 ? SEVERAL_BUCKETS : (distinct[0] ?? NO_BUCKET);
        if (distinct.length > 1) more.set(slot, Int32Array.from(distinct));
        continue;
      }
      const lat = slot < length ? (lats[slot] as number) : NaN;
      // NaN if there is no point.
      if (lat === lat) ordinals[i] = cells.ordinalOf(lat, lons[slot] as number);
    }
  }
  const missingOrdinal = typeof missingValue === 'object' ? ordinalAt(missingValue.lat, missingValue.lon) : NO_BUCKET;
  return { size: cells.size, ordinals, isByPosition: true, more, missingOrdinal };
}

/** A cell that overlaps the bounds counts as a whole. */
function touches(bounds: BoundAggregation<'geohash_grid'>['bounds'], key: string): boolean {
  const cell = bounds && decodeGeohash(key);
  if (bounds === undefined || cell === undefined) return true;
  const { topLeft, bottomRight } = bounds;
  if (topLeft.lat <= cell.south || bottomRight.lat >= cell.north) return false;
  const isEastOfLeft = topLeft.lon < cell.east;
  const isWestOfRight = bottomRight.lon > cell.west;
  return topLeft.lon <= bottomRight.lon ? isEastOfLeft && isWestOfRight : isEastOfLeft || isWestOfRight;
}
