import type { CompiledMapping } from '../mapping/CompiledMapping.js';
import type {
  Aggregation,
  DateHistogramAggregation,
  HistogramAggregation,
  TermsAggregation,
  TermsFilter,
} from '../tree/Aggregation.js';
import { pathInside } from '../tree/pathInside.js';
import type { Sort } from '../tree/Sort.js';

import { addHighlightWork, addQueryWork } from './addQueryWork.js';
import { addSortWork } from './addSortWork.js';
import type { WorkTally } from './WorkTally.js';

/** Whether and how many values a document has in a field only the data know. */
const SUPPOSED_VALUES = 20;
/** Buckets of a histogram whose ends only the data know: the weeks of a year. */
const HISTOGRAM_BUCKETS = 52;
/** A hit is a document to be read. */
const HIT_BUCKETS = 10;
const PLAIN_PATTERN_LENGTH = 100;

/** What the work of an aggregation depends on. */
export interface AggregationSurroundings {
  readonly compiled: CompiledMapping;
  /** Of the search's query, which `top_hits` marks. */
  readonly lookups: number;
  /** Buckets that it is computed in. */
  readonly bucketCount: number;
  /** Buckets of these that one document may be in: with 20 values on each of three levels 8,000. */
  readonly placementCount: number;
  /** The nested field whose objects they are about; undefined: documents. */
  readonly nestedPath?: string | undefined;
}

/** Adds the work of aggregations and of everything in them: each bucket holds all of its children. */
export function addAggregationWork(
  aggregations: readonly Aggregation[],
  around: AggregationSurroundings,
  tally: WorkTally,
): void {
  for (const aggregation of aggregations) {
    const inside = {
      ...around,
      bucketCount: around.bucketCount * sizeOf(aggregation),
      placementCount: around.placementCount * placementsIn(aggregation),
    };
    tally.add('buckets', inside.bucketCount, aggregation.path);
    tally.add('placements', inside.placementCount, aggregation.path);
    addQueries(aggregation, inside, tally);
    const nestedPath = pathInside(aggregation, around.nestedPath);
    addAggregationWork(aggregation.aggregations, { ...inside, nestedPath }, tally);
  }
}

/** How many buckets it gives at most; of one without buckets how many of them its value weighs in memory or time. */
function sizeOf(aggregation: Aggregation): number {
  switch (aggregation.kind) {
    case 'terms':
      return termsSize(aggregation);
    case 'composite':
    case 'geohash_grid':
      return aggregation.size;
    case 'range':
    case 'date_range':
      return aggregation.ranges.length;
    case 'filters':
      return aggregation.filters.length + 1;
    case 'histogram':
    case 'date_histogram':
      return histogramSize(aggregation);
    case 'top_hits':
      return (aggregation.from + aggregation.size) * HIT_BUCKETS;
    // It keeps up to so many values of each bucket.
    case 'cardinality':
      return Math.max(1, aggregation.precisionThreshold / 100);
    case 'percentiles':
      return 10 + aggregation.percents.length / 10;
    case 'median_absolute_deviation':
      return 10;
    case 'min':
    case 'max':
    case 'avg':
    case 'sum':
    case 'stats':
    case 'extended_stats':
    case 'value_count':
      return 0;
    default:
      return 1;
  }
}

function termsSize({ size, include, minDocCount }: TermsAggregation): number {
  const bucketCount = include?.kind === 'values' ? Math.min(size, include.values.length) : size;
  // All terms of the collection are looked at in every bucket around.
  return minDocCount === 0 ? bucketCount * 10 : bucketCount;
}

function placementsIn(aggregation: Aggregation): number {
  switch (aggregation.kind) {
    case 'terms':
    case 'geohash_grid':
    case 'histogram':
      return SUPPOSED_VALUES;
    // They may overlap.
    case 'range':
    case 'date_range':
      return aggregation.ranges.length;
    case 'filters':
      return aggregation.filters.length;
    case 'composite': {
      const many = aggregation.sources.filter(({ kind }) => kind !== 'date_histogram');
      return SUPPOSED_VALUES ** many.length;
    }
    // Of dates a document has one, as a rule.
    default:
      return 1;
  }
}

function histogramSize(aggregation: HistogramAggregation | DateHistogramAggregation): number {
  if (aggregation.kind === 'date_histogram') return HISTOGRAM_BUCKETS;
  const { interval, hardBounds, extendedBounds } = aggregation;
  const given = hardBounds ?? extendedBounds;
  if (given?.min === undefined || given.max === undefined) return HISTOGRAM_BUCKETS;
  const within = (given.max - given.min) / interval + 1;
  return hardBounds === undefined ? Math.max(HISTOGRAM_BUCKETS, within) : within;
}

function addQueries(
  aggregation: Aggregation,
  around: AggregationSurroundings,
  tally: WorkTally,
): void {
  const { compiled, lookups, bucketCount, nestedPath } = around;
  const { path } = aggregation;
  switch (aggregation.kind) {
    case 'filter':
      addQueryWork(aggregation.filter, { compiled, hitCount: 0, nestedPath }, tally);
      break;
    case 'filters':
      for (const { filter } of aggregation.filters) {
        addQueryWork(filter, { compiled, hitCount: 0, nestedPath }, tally);
      }
      break;
    case 'terms':
      tally.add('lookups', filterWork(aggregation.include) + filterWork(aggregation.exclude), path);
      break;
    case 'top_hits': {
      const sort: readonly Sort[] = aggregation.sort ?? [];
      addSortWork(sort, compiled, tally);
      if (aggregation.highlight !== undefined) {
        const hitCount = bucketCount / HIT_BUCKETS;
        const marked = { compiled, hitCount, lookups, path };
        addHighlightWork(aggregation.highlight, marked, tally);
      }
      break;
    }
    default:
  }
}

function filterWork(filter: TermsFilter | undefined): number {
  return filter?.kind === 'pattern' ? 1 + filter.pattern.length / PLAIN_PATTERN_LENGTH : 0;
}
