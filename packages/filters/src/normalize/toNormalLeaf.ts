import type { JsonScalar } from '@millrace/language';
import type { AnyCondition } from '../Filter.js';
import { canonicalCondition } from './canonicalCondition.js';
import type { NormalLeaf } from './NormalForm.js';

/** A condition in normal form. */
export function toNormalLeaf(condition: AnyCondition, isNegated: boolean): NormalLeaf {
  if (condition.kind === 'in' && condition.values.length > 1) {
    return toListLeaf(condition.field, new Set(condition.values), isNegated);
  }
  return leafOf(condition, isNegated);
}

/** `in`, or `equals` for one value, in normal form. */
export function toListLeaf(field: string, values: ReadonlySet<JsonScalar>, isNegated: boolean): NormalLeaf {
  return leafOf({ kind: 'in', field, values: sortScalars([...values]) }, isNegated);
}

function leafOf(condition: AnyCondition, isNegated: boolean): NormalLeaf {
  const key = canonicalCondition(condition);
  return {
    kind: 'leaf',
    condition,
    isNegated,
    key: isNegated ? `["not",${key}]` : key,
    conditionCount: 1,
  };
}

/** Booleans, numbers, strings; each type in its natural order. */
function sortScalars(values: JsonScalar[]): JsonScalar[] {
  if (values.length === 1) return values;
  const truths = values.filter((value) => typeof value === 'boolean');
  const numbers = values.filter((value) => typeof value === 'number');
  const texts = values.filter((value) => typeof value === 'string');
  // Typed arrays sort without a compare function.
  return [...truths.sort(), ...Float64Array.from(numbers).sort(), ...texts.sort()];
}
