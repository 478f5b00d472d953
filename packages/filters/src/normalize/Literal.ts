import type { Condition } from '../Filter.js';
import type { JsonScalar } from '../Json.js';
import { canonicalCondition } from './canonicalCondition.js';

/**
 * A leaf or its negation. All value lists of one field share a slot, so that one clause holds one of them at most;
 * every other condition has a slot of its own.
 */
export type Literal =
  | {
      readonly kind: 'values';
      readonly slot: string;
      readonly field: string;
      /** True: the value is one of these. False: it is none of them. */
      readonly allows: boolean;
      /** Sorted by canonical JSON, each once. */
      readonly values: readonly JsonScalar[];
      readonly key: string;
    }
  | {
      readonly kind: 'condition';
      readonly slot: string;
      readonly condition: Condition;
      readonly isNegated: boolean;
      readonly key: string;
    };

type Values = Literal & { readonly kind: 'values' };

/** What two literals of one slot make together. */
export type Combined = Literal | 'everything' | 'nothing';

export function toLiteral(condition: Condition, isNegated: boolean): Literal {
  if (condition.kind === 'in') return toValues(condition.field, !isNegated, condition.values);
  const slot = canonicalCondition(condition);
  return { kind: 'condition', slot, condition, isNegated, key: signed(slot, isNegated) };
}

export function negate(literal: Literal): Literal {
  return literal.kind === 'values'
    ? toValues(literal.field, !literal.allows, literal.values)
    : toLiteral(literal.condition, !literal.isNegated);
}

/** The condition that a literal stands for, and whether it is negated. */
export function toCondition(literal: Literal): {
  readonly condition: Condition;
  readonly isNegated: boolean;
} {
  if (literal.kind === 'condition') return literal;
  const { field, values, allows } = literal;
  return { condition: { kind: 'in', field, values }, isNegated: !allows };
}

/** Both hold. */
export function conjoin(a: Literal, b: Literal): Combined {
  if (a.key === b.key) return a;
  if (a.kind !== 'values' || b.kind !== 'values') return 'nothing';
  if (!a.allows && !b.allows) return toValues(a.field, false, [...a.values, ...b.values]);
  const [base, other] = a.allows ? [a, b] : [b, a];
  const kept = keep(base, other, other.allows);
  return kept.length === 0 ? 'nothing' : toValues(a.field, true, kept);
}

/** At least one holds. */
export function unite(a: Literal, b: Literal): Combined {
  if (a.key === b.key) return a;
  if (a.kind !== 'values' || b.kind !== 'values') return 'everything';
  if (a.allows && b.allows) return toValues(a.field, true, [...a.values, ...b.values]);
  const [base, other] = a.allows ? [b, a] : [a, b];
  const kept = keep(base, other, !other.allows);
  return kept.length === 0 ? 'everything' : toValues(a.field, false, kept);
}

/** Does `a` imply `b`, a literal of the same slot? */
export function implies(a: Literal, b: Literal): boolean {
  if (a.key === b.key) return true;
  const both = conjoin(a, b);
  return typeof both === 'object' && both.key === a.key;
}

/** Size of a literal, for bounding work. */
export function weigh(literal: Literal): number {
  return literal.kind === 'values' ? literal.values.length : 1;
}

function keep(base: Values, other: Values, shared: boolean): readonly JsonScalar[] {
  const known = new Set(other.values);
  return base.values.filter((value) => known.has(value) === shared);
}

function toValues(field: string, allows: boolean, given: readonly JsonScalar[]): Values {
  const byText = new Map(given.map((value) => [JSON.stringify(value), value]));
  const values = [...byText].sort(byCodeUnit).map(([, value]) => value);
  const canonical = canonicalCondition({ kind: 'in', field, values });
  const slot = JSON.stringify(['in', field]);
  return { kind: 'values', slot, field, allows, values, key: signed(canonical, !allows) };
}

function byCodeUnit([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function signed(canonical: string, isNegated: boolean): string {
  return isNegated ? `["not",${canonical}]` : canonical;
}
