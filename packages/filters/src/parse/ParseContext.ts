import { FilterError } from '../FilterError.js';
import type { FilterLimits } from '../FilterLimits.js';
import { quote } from '../show.js';

/** Where the parser stands: an operator and the slot of the filter that holds it. */
export interface ParseContext {
  readonly limits: FilterLimits;
  /** Slot of the filter: `and[1].not`; empty for the root. */
  readonly path: string;
  readonly operator: string;
  readonly depth: number;
}

/** A refusal in the form of realtime-filters.md section 10. */
export function refusal(
  { operator, path }: ParseContext,
  reason: string,
  field?: string,
): FilterError {
  const where = [
    `operator ${quote(operator)}`,
    ...(field === undefined ? [] : [`field ${quote(field)}`]),
    ...(path === '' ? [] : [`at ${path}`]),
  ];
  return new FilterError('invalid_filter', path, `Invalid filter: ${where.join(', ')}: ${reason}`);
}
