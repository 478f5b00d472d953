/*
 * Memory of a filter, for limits: its JSON, its compiled form and the additions from the first documents tested. The
 * figures are those of the worst shape measured (Node 20), where no condition shares a field with another filter;
 * filters that share fields take a third to a tenth. The automata of patterns are not included: `AutomatonMemory`
 * bounds their memory for all filters together.
 */
import type { Condition, Filter } from '../Filter.js';

const BYTES_PER_FILTER = 600;
const BYTES_PER_OPERATOR = 200;
const BYTES_PER_SEGMENT = 300;
/** Each name is stored once as sent, and once in parts. */
const BYTES_PER_FIELD_CHARACTER = 4;
const BYTES_PER_CHARACTER = 2;
const BYTES_PER_VALUE = 90;
const BYTES_PER_POINT = 200;
const BYTES_PER_STEP = 120;

const BYTES_OF: Readonly<Record<Condition['kind'], number>> = {
  exists: 800,
  in: 1_000,
  range: 2_600,
  geoBoundingBox: 3_000,
  geoDistance: 3_000,
  geoPolygon: 3_000,
  regexp: 6_000,
};

/**
 * Of a condition in `ValueFilters`, whose filters name the fields of one mapping and mostly share them; measured in the
 * same way.
 */
const SHARED_BYTES_OF: Readonly<Record<Condition['kind'], number>> = {
  exists: 80,
  in: 80,
  range: 1_000,
  geoBoundingBox: 1_000,
  geoDistance: 1_000,
  geoPolygon: 1_000,
  regexp: 6_000,
};
/** Half of what a field and its indexes take: the first filter that names it takes the whole, later ones nothing. */
const BYTES_PER_SHARED_FIELD = 300;

/** Estimates the memory of one filter of an engine, in bytes: an upper bound for the shapes measured. */
export function estimateBytes(filter: Filter): number {
  return BYTES_PER_FILTER + bytesOf(filter);
}

/** Estimates the memory of one filter of `ValueFilters`, in bytes: at least half of it for the shapes measured. */
export function estimateSharedBytes(filter: Filter): number {
  const fields = new Set<string>();
  const sum = sharedBytesOf(filter, fields);
  return sum + fields.size * BYTES_PER_SHARED_FIELD;
}

function sharedBytesOf(filter: Filter, fields: Set<string>): number {
  switch (filter.kind) {
    case 'everything':
    case 'nothing':
      return 0;
    case 'and':
    case 'or':
      return filter.operands.reduce((sum, operand) => sum + sharedBytesOf(operand, fields), BYTES_PER_OPERATOR);
    case 'not':
      return sharedBytesOf(filter.operand, fields);
    default: {
      // The values of one field are mostly merged into one condition.
      const isMerged = filter.kind === 'in' && fields.has(filter.field);
      fields.add(filter.field);
      return (isMerged ? 0 : SHARED_BYTES_OF[filter.kind]) + bytesOfContent(filter);
    }
  }
}

function bytesOf(filter: Filter): number {
  switch (filter.kind) {
    case 'everything':
    case 'nothing':
      return 0;
    case 'and':
    case 'or':
      return filter.operands.reduce((sum, operand) => sum + bytesOf(operand), BYTES_PER_OPERATOR);
    case 'not':
      return BYTES_PER_OPERATOR + bytesOf(filter.operand);
    default:
      return BYTES_OF[filter.kind] + bytesOfField(filter.field) + bytesOfContent(filter);
  }
}

function bytesOfField(field: string): number {
  return field.split('.').length * BYTES_PER_SEGMENT + field.length * BYTES_PER_FIELD_CHARACTER;
}

function bytesOfContent(condition: Condition): number {
  switch (condition.kind) {
    case 'in':
      return condition.values.reduce<number>((sum, value) => sum + bytesOfValue(value), 0);
    case 'geoPolygon':
      return condition.points.length * BYTES_PER_POINT;
    case 'regexp': {
      const { source, stepCount } = condition.pattern;
      return source.length * BYTES_PER_CHARACTER + stepCount * BYTES_PER_STEP;
    }
    default:
      return 0;
  }
}

function bytesOfValue(value: unknown): number {
  const length = typeof value === 'string' ? value.length : 0;
  return BYTES_PER_VALUE + length * BYTES_PER_CHARACTER;
}
