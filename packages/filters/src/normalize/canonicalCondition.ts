import type { AnyCondition } from '../Filter.js';

/**
 * The canonical JSON of a leaf: an array of its kind, field and arguments, so that no keys of users need sorting. The
 * values of `in` must be sorted; a single value makes it `equals`.
 */
export function canonicalCondition(condition: AnyCondition): string {
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
