import type { JsonValue } from '@millrace/language';
import { invalid } from '../errors.js';
import { show } from '../show.js';

/** One condition of `minimum_should_match`: it applies if there are more than `above` optional clauses. */
export interface MinimumShouldMatchRule {
  /** -1: always. */
  readonly above: number;
  /** Clauses, or percent of them; negative: how many may be missing. */
  readonly amount: number;
  readonly isPercent: boolean;
}

/**
 * `minimum_should_match`, parsed (`"2<-25% 9<-3"` has two rules); `resolveMinimumShouldMatch` applies it to a number.
 */
export type MinimumShouldMatch = readonly MinimumShouldMatchRule[];

const MAX_TEXT_LENGTH = 256;

/** Parses `2`, `-1`, `"75%"`, `"3<90%"`, `"2<-25% 9<-3"` (SEARCH-23). */
export function parseMinimumShouldMatch(value: JsonValue, path: string): MinimumShouldMatch {
  const rules = readRules(value);
  if (rules === undefined) {
    throw invalid(
      path,
      `minimum_should_match at ${path} must be a number, a percentage or conditions such as "3<90%", not ${show(value)}`,
    );
  }
  return rules;
}

function readRules(value: JsonValue): MinimumShouldMatch | undefined {
  if (typeof value === 'number') {
    return Number.isSafeInteger(value) ? [{ above: -1, amount: value, isPercent: false }] : undefined;
  }
  if (typeof value !== 'string' || value.length > MAX_TEXT_LENGTH) return undefined;
  const text = value.trim().replace(/\s*<\s*/g, '<');
  if (!text.includes('<')) {
    const rule = readRule(-1, text);
    return rule === undefined ? undefined : [rule];
  }
  const rules: MinimumShouldMatchRule[] = [];
  for (const part of text.split(/\s+/)) {
    const [above = '', amount = ''] = part.split('<');
    const rule = /^\d{1,9}$/.test(above) ? readRule(Number(above), amount) : undefined;
    if (rule === undefined || part.split('<').length !== 2) return undefined;
    rules.push(rule);
  }
  return rules;
}

function readRule(above: number, text: string): MinimumShouldMatchRule | undefined {
  const [, amount, percent] = /^([+-]?\d{1,9})(%?)$/.exec(text) ?? [];
  if (amount === undefined) return undefined;
  return { above, amount: Number(amount), isPercent: percent === '%' };
}

/**
 * The number of `clauseCount` optional clauses that must match. May exceed `clauseCount`: then nothing matches.
 * Percentages round towards zero, as in Elasticsearch.
 */
export function resolveMinimumShouldMatch(rules: MinimumShouldMatch, clauseCount: number): number {
  let required = clauseCount;
  for (const rule of rules) {
    if (clauseCount <= rule.above) break;
    const amount = rule.isPercent ? Math.trunc((clauseCount * rule.amount) / 100) : rule.amount;
    required = rule.amount < 0 ? clauseCount + amount : amount;
  }
  return Math.max(0, required);
}
