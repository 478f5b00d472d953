import type { Condition, Filter } from '../Filter.js';

/** The filter as a condition on a field; undefined where it is a group of filters, everything or nothing. */
export function leafOf(filter: Filter): Condition | undefined {
  switch (filter.kind) {
    case 'everything':
    case 'nothing':
    case 'and':
    case 'or':
    case 'not':
      return undefined;
    default:
      return filter;
  }
}
