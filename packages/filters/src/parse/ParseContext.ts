import { FilterError, tooComplex } from '../FilterError.js';
import type { FilterLimits } from '../FilterLimits.js';
import type { Pattern } from '../regexp/Pattern.js';
import { quote } from '../show.js';

/**
 * What one filter may hold as sent, duplicates included: its values, its points, twice its operators. Reading goes on for
 * as long as the text is, so it is bounded beside the limits of section 9, which count what is left after normalisation.
 */
const MAX_SENT = 8_192;
/** UTF-16 units of all patterns of a filter; reading them costs more than anything else. */
const MAX_PATTERN_UNITS = 16_384;
/** Steps that the repetitions of all patterns of a filter may add to their characters: a long value may be at all of them. */
const MAX_REPEATED_STEPS = 8_192;

/** The limits, and what has been read of one filter. */
export interface ParseLimits extends FilterLimits {
  readonly read: { sent: number; patternUnits: number; repeatedSteps: number };
}

/** Where the parser stands: an operator and the slot of the filter that holds it. */
export interface ParseContext {
  readonly limits: ParseLimits;
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

/** Counts what is read. @throws FilterError where a filter holds too much */
export function countSent({ read }: ParseLimits, more: number): void {
  read.sent += more;
  if (read.sent <= MAX_SENT) return;
  throw tooComplex(`more than ${MAX_SENT / 2} operators or ${MAX_SENT} values and points as sent`);
}

/** Counts a pattern. @throws FilterError where the patterns of a filter are too long together */
export function countPattern({ read }: ParseLimits, source: string): void {
  read.patternUnits += source.length;
  if (read.patternUnits <= MAX_PATTERN_UNITS) return;
  throw tooComplex(`patterns of more than ${MAX_PATTERN_UNITS} characters together`);
}

/** Counts what a pattern's repetitions come to. @throws FilterError where those of a filter are too many together */
export function countSteps({ read }: ParseLimits, { source, stepCount }: Pattern): void {
  read.repeatedSteps += Math.max(0, stepCount - 2 * source.length);
  if (read.repeatedSteps <= MAX_REPEATED_STEPS) return;
  throw tooComplex(`repetitions of patterns that come to more than ${MAX_REPEATED_STEPS} steps`);
}
