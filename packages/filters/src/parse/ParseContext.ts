import { FilterError, tooComplex } from '../FilterError.js';
import type { FilterLimits } from '../FilterLimits.js';
import type { PatternShare } from '../regexp/PatternShare.js';
import { quote } from '../show.js';

/** What has been read of one filter's patterns. */
export class PatternsRead {
  /** They bound each other at matching. */
  readonly share: PatternShare = { steps: 0 };
  private steps = 0;

  constructor(private readonly limits: FilterLimits) {}

  /** @throws FilterError when the patterns of the filter come to more steps than the limit */
  count(steps: number): void {
    const { patternSteps } = this.limits;
    this.steps += steps;
    if (this.steps > patternSteps) throw tooComplex(`more than ${patternSteps} pattern steps`);
  }
}

/** The operator that is being read, and its place in the filter. */
export interface ParseContext {
  readonly limits: FilterLimits;
  readonly patterns: PatternsRead;
  /** May values be `{$ref: path}`? */
  readonly allowsReferences: boolean;
  readonly operator: string;
  readonly slot: Slot;
  readonly depth: number;
}

/** The place of a filter in another one; only messages need it as text (`pathOf`). */
export interface Slot {
  /** The operator around; undefined for the root. */
  readonly around: ParseContext | undefined;
  /** `and`, `bool.must`; empty for the root. */
  readonly name: string;
  /** Place in a list; −1 for none. */
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

/** A refusal in the form of FILTER-51. */
export function refusal(
  { operator, slot }: ParseContext,
  reason: string,
  field?: string,
): FilterError {
  const path = pathOf(slot);
  const where = [
    `operator ${quote(operator)}`,
    ...(field === undefined ? [] : [`field ${quote(field)}`]),
    ...(path === '' ? [] : [`at ${path}`]),
  ];
  return new FilterError('invalid_filter', path, `Invalid filter: ${where.join(', ')}: ${reason}`);
}

/** A refusal because of a limit. */
export function excess(context: ParseContext, reason: string, field: string): FilterError {
  const { path, message } = refusal(context, reason, field);
  return new FilterError('filter_too_complex', path, message);
}
