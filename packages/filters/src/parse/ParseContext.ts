import type { PatternShare } from '@millrace/language';
import { FilterError, tooComplex } from '../FilterError.js';
import type { FilterLimits } from '../FilterLimits.js';
import { quote } from '../show.js';

/** The patterns of one filter read so far. */
export class PatternsRead {
  /** They share a budget at matching. */
  readonly share: PatternShare = { steps: 0 };
  private steps = 0;

  constructor(private readonly limits: FilterLimits) {}

  /** @throws FilterError if the patterns of the filter have more steps than the limit */
  count(steps: number): void {
    const { patternSteps } = this.limits;
    this.steps += steps;
    if (this.steps > patternSteps) throw tooComplex(`more than ${patternSteps} pattern steps`);
  }
}

/** The current operator and its position in the filter. */
export interface ParseContext {
  readonly limits: FilterLimits;
  readonly patterns: PatternsRead;
  /** True if values may be `{$ref: path}`. */
  readonly allowsReferences: boolean;
  readonly operator: string;
  readonly slot: Slot;
  readonly depth: number;
}

/** The position of a filter in another one; only messages need it as a string (`pathOf`). */
export interface Slot {
  /** The enclosing operator; undefined for the root. */
  readonly around: ParseContext | undefined;
  /** `and`, `bool.must`; empty for the root. */
  readonly name: string;
  /** Index in a list; −1 if it is not in a list. */
  readonly place: number;
}

/** `and[1].not`; empty for the root. */
export function pathOf(slot: Slot): string {
  const parts: string[] = [];
  for (let at: Slot | undefined = slot; at?.around !== undefined; at = at.around.slot) {
    parts.push(at.place < 0 ? at.name : `${at.name}[${at.place}]`);
  }
  return parts.reverse().join('.');
}

/** An error in the form of FILTER-51. */
export function refusal({ operator, slot }: ParseContext, reason: string, field?: string): FilterError {
  const path = pathOf(slot);
  const where = [
    `operator ${quote(operator)}`,
    ...(field === undefined ? [] : [`field ${quote(field)}`]),
    ...(path === '' ? [] : [`at ${path}`]),
  ];
  return new FilterError('invalid_filter', path, `Invalid filter: ${where.join(', ')}: ${reason}`);
}

/** An error for an exceeded limit. */
export function excess(context: ParseContext, reason: string, field: string): FilterError {
  const { path, message } = refusal(context, reason, field);
  return new FilterError('filter_too_complex', path, message);
}
