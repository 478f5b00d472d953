import type { JsonObject, JsonValue } from '@millrace/language';
import {
  isIntegerType,
  MAX_LONG,
  type BoundQuery,
  type CompiledMapping,
  type FieldSort,
  type NestedSort,
  type Sort,
} from '@millrace/query';
import { ID_FIELD } from '../client/METADATA.js';
import { present } from './present.js';
import { toElasticsearchQuery } from './toElasticsearchQuery.js';

// Makes Elasticsearch compute the returned values in the requested unit, exact to the last digit.
const UNITS: ReadonlyMap<number, string> = new Map([
  [1, 'm'],
  [1000, 'km'],
  [0.01, 'cm'],
  [0.001, 'mm'],
  [1609.344, 'mi'],
  [0.9144, 'yd'],
  [0.3048, 'ft'],
  [0.0254, 'in'],
  [1852, 'nmi'],
]);

/** Writes one criterion of `sort` for Elasticsearch. */
export function toSort(sort: Sort<BoundQuery>, compiled: CompiledMapping): JsonObject {
  const { order } = sort;
  switch (sort.kind) {
    case 'score':
      return { _score: { order } };
    case 'doc':
      return { _doc: { order } };
    case 'id':
      return { [ID_FIELD]: { order } };
    case 'field': {
      const { field, mode, missing, unmappedType, format, nested } = sort;
      const numericType = numericTypeOf(sort, compiled);
      const options = present({ unmapped_type: unmappedType, format, numeric_type: numericType });
      return {
        [field]: {
          order,
          mode,
          missing: typeof missing === 'object' ? missing.value : `_${missing}`,
          ...options,
          ...nestedOption(nested, compiled),
        },
      };
    }
    case 'geoDistance': {
      const { field, points, metresPerUnit, mode, distanceType, ignoreUnmapped, nested } = sort;
      return {
        _geo_distance: {
          [field]: points.map(({ lat, lon }) => ({ lat, lon })),
          order,
          unit: UNITS.get(metresPerUnit) ?? 'm',
          mode,
          distance_type: distanceType,
          ignore_unmapped: ignoreUnmapped,
          ...nestedOption(nested, compiled),
        },
      };
    }
  }
}

/**
 * Requests all integers as `long`: for hits without a value of a shorter type, version 9 otherwise returns the 32-bit
 * limit, earlier versions the 64-bit limit.
 */
function numericTypeOf({ field, numericType }: FieldSort<BoundQuery>, { fields }: CompiledMapping): string | undefined {
  const type = fields.get(field)?.type;
  const isShort = type !== undefined && type !== 'long' && isIntegerType(type);
  return numericType ?? (isShort ? 'long' : undefined);
}

function nestedOption(nested: NestedSort<BoundQuery> | undefined, compiled: CompiledMapping): JsonObject {
  return nested === undefined ? {} : { nested: toNested(nested, compiled) };
}

function toNested({ path, filter, nested }: NestedSort<BoundQuery>, compiled: CompiledMapping): JsonObject {
  return {
    path,
    ...(filter === undefined ? {} : { filter: toElasticsearchQuery(filter, compiled) }),
    ...nestedOption(nested, compiled),
  };
}

/** From here on JSON writes numbers with an exponent, which Elasticsearch reads as doubles. */
const EXPONENT_FROM = 1e21;

/**
 * `search_after` for Elasticsearch. Hits without a value have the limit of a 64-bit integer as their sort value, which
 * as a JSON number is one more than Elasticsearch can read: it is sent back as a string. So are larger values of
 * fractional fields, which JSON writes without an exponent.
 */
export function toSearchAfter(values: readonly JsonValue[]): readonly JsonValue[] {
  return values.map((value) => {
    if (typeof value !== 'number') return value;
    const size = Math.abs(value);
    if (size < MAX_LONG || size >= EXPONENT_FROM) return value;
    if (size > MAX_LONG) return String(value);
    return value > 0 ? '9223372036854775807' : '-9223372036854775808';
  });
}
