/*
 * The reference evaluator: defines the meaning of the language, straight from the tree. Faster engines are tested
 * against it.
 */
import type { JsonObject, JsonScalar, JsonValue } from '@millrace/language';
import type { AnyCondition, Condition, Filter, ReferenceCondition } from './Filter.js';
import { parsePoint } from './geo/parsePoint.js';
import { isInArea } from './isInArea.js';
import { readFieldValue } from './readFieldValue.js';

type Bounds = Pick<Condition & { readonly kind: 'range' }, 'lower' | 'upper'>;

/**
 * Evaluates a filter. Pure: the same filter and JSON give the same result everywhere.
 * @param document user content only
 * @param id identifier of a stored document; without it, `_id` is the document's own key (published messages)
 */
export function evaluateFilter(filter: Filter<AnyCondition>, document: JsonObject, id?: string): boolean {
  switch (filter.kind) {
    case 'everything':
      return true;
    case 'nothing':
      return false;
    case 'and':
      return filter.operands.every((operand) => evaluateFilter(operand, document, id));
    case 'or':
      return filter.operands.some((operand) => evaluateFilter(operand, document, id));
    case 'not':
      return !evaluateFilter(filter.operand, document, id);
    default:
      return evaluateCondition(filter, document, id);
  }
}

/** False if the field is absent or the condition doesn't handle the type of its value. */
function evaluateCondition(condition: AnyCondition, document: JsonObject, id?: string): boolean {
  const { field } = condition;
  const value = field === '_id' && id !== undefined ? id : readFieldValue(document, field);
  if (value === undefined) return false;
  switch (condition.kind) {
    case 'in':
      return condition.values.some((each) => each === value);
    case 'exists':
      return true;
    case 'range':
      return typeof value === 'number' && isInRange(condition, value);
    case 'regexp':
      return typeof value === 'string' && condition.pattern.matches(value);
    case 'reference':
      return matchesReferences(condition, value, document);
    case 'geoBoundingBox':
    case 'geoDistance':
    case 'geoPolygon': {
      const point = parsePoint(value);
      return point !== undefined && isInArea(condition, point);
    }
  }
}

function isInRange({ lower, upper }: Bounds, value: number): boolean {
  if (lower && (lower.isInclusive ? value < lower.value : value <= lower.value)) return false;
  return !(upper && (upper.isInclusive ? value > upper.value : value >= upper.value));
}

function matchesReferences({ operator, values }: ReferenceCondition, value: JsonValue, document: JsonObject): boolean {
  const operands = values.map((each) => (typeof each === 'object' ? readFieldValue(document, each.path) : each));
  if (!operands.every(isScalar)) return false;
  if (operator === 'in') return operands.some((each) => each === value);
  const [bound] = operands;
  return typeof value === 'number' && typeof bound === 'number' && isInRange(toRange(operator, bound), value);
}

function toRange(operator: 'gt' | 'gte' | 'lt' | 'lte', value: number): Bounds {
  const bound = { value, isInclusive: operator.endsWith('e') };
  return operator.startsWith('g') ? { lower: bound } : { upper: bound };
}

function isScalar(value: JsonValue | undefined): value is JsonScalar {
  return value !== undefined && value !== null && typeof value !== 'object';
}
