import { FilterError, tooComplex } from '../FilterError.js';
import type { FilterLimits } from '../FilterLimits.js';
import type { Pace } from '../Pace.js';
import type { Pattern } from '../regexp/Pattern.js';
import type { PatternShare } from '../regexp/PatternShare.js';
import { quote } from '../show.js';

/**
 * What one filter may hold as sent, duplicates included: conditions count 4, points 3, operators around conditions
 * and texts 2, other values 1. Reading goes on for as long as the text is, so it is bounded beside the limits of section 9,
 * which count what is left after normalisation.
 */
const MAX_SENT = 9_600;
/** UTF-16 units of all patterns of a filter; reading them costs more than anything else. */
const MAX_PATTERN_UNITS = 8_192;
/** What a Unicode property counts as: the native parser takes some 20 µs for it. */
const PROPERTY_UNITS = 100;
/** Steps that the repetitions of all patterns of a filter may add to their characters: a long value may be at all of them. */
const MAX_REPEATED_STEPS = 8_192;

/** UTF-16 units of all values and field names of a filter; all of them are hashed. */
const MAX_TEXT_UNITS = 131_072;

/** The limits, and what has been read of one filter. */
export interface ParseLimits extends FilterLimits {
  readonly read: ReadSoFar;
}

/** What has been read of one filter. */
export class ReadSoFar {
  sent = 0;
  private told = 0;
  textUnits = 0;
  patternUnits = 0;
  repeatedSteps = 0;
  readonly patterns: PatternShare = { steps: 0 };

  constructor(private readonly pace: Pace) {}

  /** Is it time to give way? */
  isDue(): boolean {
    const done = (this.sent >> 1) + this.patternUnits;
    const units = done - this.told;
    this.told = done;
    return this.pace.isDue(units);
  }
}

/** Where the parser stands: an operator and the slot of the filter that holds it. */
export interface ParseContext {
  readonly limits: ParseLimits;
  readonly operator: string;
  readonly slot: Slot;
  readonly depth: number;
}

/** Where a filter stands in another one: written out (`pathOf`) where it is told, which is seldom. */
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

/** A refusal in the form of realtime-filters.md section 10. */
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

/** Counts an operator. @throws FilterError where a filter holds too much */
export function countOperator(limits: ParseLimits): void {
  spend(limits, 2);
}

/** Counts values: texts count once more. @throws FilterError where a filter holds too much */
export function countValues(limits: ParseLimits, count: number): void {
  spend(limits, count);
}

/** Counts points. @throws FilterError where a filter holds too much */
export function countPoints(limits: ParseLimits, count: number): void {
  spend(limits, 3 * count);
}

function spend({ read }: ParseLimits, more: number): void {
  read.sent += more;
  if (read.sent <= MAX_SENT) return;
  throw tooComplex(
    `more than ${MAX_SENT / 4} conditions, ${MAX_SENT / 3} points, ${MAX_SENT / 2} texts or ${MAX_SENT} other values, as sent`,
  );
}

/** Counts a condition by its field, beside its operator. @throws FilterError where a filter holds too much */
export function countField(limits: ParseLimits, field: string): void {
  spend(limits, 2);
  countLength(limits, field);
}

/** Counts a value that is a text. @throws FilterError where those of a filter are too many or too long together */
export function countText(limits: ParseLimits, text: string): void {
  spend(limits, 1);
  countLength(limits, text);
}

function countLength({ read }: ParseLimits, text: string): void {
  read.textUnits += text.length;
  if (read.textUnits <= MAX_TEXT_UNITS) return;
  throw tooComplex(`values and field names of more than ${MAX_TEXT_UNITS} characters together`);
}

/** Counts a pattern. @throws FilterError where the patterns of a filter are too long together */
export function countPattern({ read }: ParseLimits, source: string): void {
  const propertyCount = /\\[pP]\{/.test(source) ? source.split(/\\[pP]\{/).length - 1 : 0;
  read.patternUnits += source.length + PROPERTY_UNITS * propertyCount;
  if (read.patternUnits <= MAX_PATTERN_UNITS) return;
  throw tooComplex(
    `patterns of more than ${MAX_PATTERN_UNITS} characters together (\\p counts as ${PROPERTY_UNITS} more)`,
  );
}

/** Counts what a pattern's repetitions come to. @throws FilterError where those of a filter are too many together */
export function countSteps({ read }: ParseLimits, { source, stepCount }: Pattern): void {
  read.repeatedSteps += Math.max(0, stepCount - 2 * source.length);
  if (read.repeatedSteps <= MAX_REPEATED_STEPS) return;
  throw tooComplex(`repetitions of patterns that come to more than ${MAX_REPEATED_STEPS} steps`);
}
