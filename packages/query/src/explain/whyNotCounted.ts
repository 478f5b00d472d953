import type { JsonScalar } from '@millrace/language';
import { whyChanging, whyUndecidable } from '../bind/whyUndecidable.js';
import { isIntegerType } from '../document/numberRange.js';
import type { BoundAggregation } from '../tree/BoundAggregation.js';
import type { CompiledField } from '../mapping/CompiledMapping.js';
import type { BoundQuery } from '../tree/Query.js';

/** Keys of one `terms`. */
const MAX_KEYS = 10_000;
/** Their keys sort as the results show them. */
const KEYED: ReadonlySet<string> = new Set([
  'keyword',
  'boolean',
  'date',
  'long',
  'integer',
  'short',
  'byte',
  'double',
  'float',
  'half_float',
]);

/** Why aggregations can't be counted change by change, exactly; null if they can. */
export function whyNotCounted(aggregations: readonly BoundAggregation[]): string | null {
  for (const each of aggregations) {
    const reason = whyNot(each);
    if (reason !== null) return `${each.kind} at ${each.path}: ${reason}`;
    const inside = whyNotCounted(each.aggregations);
    if (inside !== null) return inside;
  }
  return null;
}

function whyNot(each: BoundAggregation): string | null {
  if ('mapped' in each && each.mapped === undefined) return `the field isn't mapped`;
  switch (each.kind) {
    case 'value_count':
    case 'min':
    case 'max':
    case 'missing':
    case 'nested':
    case 'reverse_nested':
      return null;
    case 'sum':
    case 'avg':
    case 'stats':
      return isWhole(each) ? null : 'sums of fractions depend on their order';
    case 'filter':
      return whyQuery(each.filter);
    case 'filters':
      return each.filters.map(({ filter }) => whyQuery(filter)).find((why) => why !== null) ?? null;
    case 'range':
    case 'date_range':
      return namesNow(each.ranges.flatMap(({ from, to }) => [from, to]));
    case 'cardinality':
      return isKeyed(each.mapped) ? null : `of a field of the type ${each.mapped?.type}`;
    case 'terms':
      return whyTerms(each);
    case 'histogram':
    case 'date_histogram':
      return whyHistogram(each);
    default:
      return `can't be counted change by change`;
  }
}

function isWhole({
  mapped,
  format,
  missingValue,
}: BoundAggregation<'sum' | 'avg' | 'stats' | 'value_count' | 'min' | 'max'>): boolean {
  if (format !== undefined || mapped === undefined || !isIntegerType(mapped.type)) return false;
  return missingValue === undefined || Number.isInteger(missingValue);
}

function whyQuery(query: BoundQuery): string | null {
  return whyUndecidable(query) ?? whyChanging(query);
}

function whyTerms({ mapped, size, minDocCount, format }: BoundAggregation<'terms'>): string | null {
  if (size > MAX_KEYS) return `more than ${MAX_KEYS} keys`;
  if (minDocCount < 1) return 'min_doc_count 0 lists the values of all documents';
  return isKeyed(mapped) && format === undefined ? null : 'the order of the keys needs all documents';
}

function isKeyed(field: CompiledField | undefined): boolean {
  return field !== undefined && KEYED.has(field.type);
}

function whyHistogram(each: BoundAggregation<'histogram' | 'date_histogram'>): string | null {
  const { keyed, order, extendedBounds, hardBounds } = each;
  if (keyed) return 'keyed: give a list of buckets';
  if (order.some(({ by, order: direction }) => by !== 'key' || direction !== 'asc')) {
    return 'another order than by key';
  }
  if (each.kind === 'date_histogram' && each.offsetMs !== 0) return 'offset';
  return namesNow([extendedBounds?.min, extendedBounds?.max, hardBounds?.min, hardBounds?.max]);
}

function namesNow(values: readonly (JsonScalar | undefined)[]): string | null {
  const isNow = values.some((value) => typeof value === 'string' && value.startsWith('now'));
  return isNow ? 'the current time changes although the documents do not' : null;
}
