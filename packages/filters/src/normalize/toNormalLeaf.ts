import type { JsonScalar } from '@millrace/language';
import type { AnyCondition } from '../Filter.js';
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

/**
 * The canonical JSON of a leaf: an array of its kind, field and arguments, so that no keys of users need sorting. The
 * values of `in` must be sorted; a single value makes it `equals`.
 */
function canonicalCondition(condition: AnyCondition): string {
  const { kind, field } = condition;
  switch (kind) {
    case 'in':
      return JSON.stringify(
        condition.values.length === 1 ? ['equals', field, condition.values[0]] : [kind, field, condition.values],
      );
    case 'reference':
      return JSON.stringify([kind, field, condition.operator, condition.values]);
    case 'exists':
      return JSON.stringify([kind, field]);
    case 'range': {
      const { lower, upper } = condition;
      const from = lower && [lower.isInclusive ? 'gte' : 'gt', lower.value];
      const to = upper && [upper.isInclusive ? 'lte' : 'lt', upper.value];
      return JSON.stringify([kind, field, ...(from ?? []), ...(to ?? [])]);
    }
    case 'regexp':
      return JSON.stringify([kind, field, condition.pattern.source, condition.pattern.flags]);
    case 'geoBoundingBox': {
      const { top, left, bottom, right } = condition.box;
      return JSON.stringify([kind, field, top, left, bottom, right]);
    }
    case 'geoDistance': {
      const { centre, fromMetres, toMetres } = condition;
      return JSON.stringify([kind, field, centre.lat, centre.lon, fromMetres ?? null, toMetres]);
    }
    case 'geoPolygon':
      return JSON.stringify([kind, field, condition.points.map(({ lat, lon }) => [lat, lon])]);
  }
}
