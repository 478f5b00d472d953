/*
 * The plain evaluator: the meaning of the language, straight from the tree. Faster engines are tested against it.
 */
import type { Condition, Filter } from './Filter.js';
import { parsePoint } from './geo/parsePoint.js';
import { isInArea } from './isInArea.js';
import type { JsonObject } from './Json.js';
import { readFieldValue } from './readFieldValue.js';

type Range = Condition & { readonly kind: 'range' };

/**
 * Does the filter match? Pure: the same filter and JSON give the same answer everywhere.
 * @param document user content only
 * @param id identifier of a stored document; without it, `_id` is the document's own key (published messages)
 */
export function evaluateFilter(filter: Filter, document: JsonObject, id?: string): boolean {
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

/** One leaf: false where the field is absent or its value of a type the leaf does not handle. */
export function evaluateCondition(
  condition: Condition,
  document: JsonObject,
  id?: string,
): boolean {
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
    case 'geoBoundingBox':
    case 'geoDistance':
    case 'geoPolygon': {
      const point = parsePoint(value);
      return point !== undefined && isInArea(condition, point);
    }
  }
}

function isInRange({ lower, upper }: Range, value: number): boolean {
  if (lower && (lower.isInclusive ? value < lower.value : value <= lower.value)) return false;
  return !(upper && (upper.isInclusive ? value > upper.value : value >= upper.value));
}
