import type { Filter } from '../Filter.js';

/** Whether a filter contains a pattern. */
export function hasPatterns(filter: Filter): boolean {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.operands.some(hasPatterns);
    case 'not':
      return hasPatterns(filter.operand);
    default:
      return filter.kind === 'regexp';
  }
}
