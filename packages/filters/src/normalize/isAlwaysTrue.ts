/*
 * A disjunction is always true when no assumption makes every clause false. The search falsifies clause after clause by
 * denying one of its literals; it gives up after a number of steps, and then says no: the answer depends on the sorted
 * clauses alone, so equal filters get the same one.
 */
import type { Clause } from './Clause.js';
import { conjoin, negate, type Literal } from './Literal.js';

const MAX_STEPS = 2_000;

/** @param clauses in an order that equal filters share */
export function isAlwaysTrue(clauses: readonly Clause[]): boolean {
  if (!clauses.some(({ literals }) => literals.some(({ allows }) => !allows))) {
    return clauses.some(({ literals }) => literals.length === 0);
  }
  // Short clauses leave the fewest ways.
  const ordered = [...clauses].sort((a, b) => a.literals.length - b.literals.length);
  const assumed = new Map<number, Literal>();
  let steps = 0;

  /** Can the clauses from here on all be false under the assumption? Gives up as if they could. */
  const canFail = (from: number): boolean => {
    const clause = ordered[from];
    if (clause === undefined || ++steps > MAX_STEPS) return true;
    if (clause.literals.some((literal) => isDenied(literal, assumed))) return canFail(from + 1);
    for (const literal of clause.literals) {
      if (++steps > MAX_STEPS) return true;
      const known = assumed.get(literal.slot);
      const denied = known === undefined ? negate(literal) : conjoin(known, negate(literal));
      if (denied === 'nothing') continue;
      assumed.set(literal.slot, denied);
      const fails = canFail(from + 1);
      if (known === undefined) assumed.delete(literal.slot);
      else assumed.set(literal.slot, known);
      if (fails) return true;
    }
    return false;
  };
  return !canFail(0);
}

function isDenied(literal: Literal, assumed: ReadonlyMap<number, Literal>): boolean {
  const known = assumed.get(literal.slot);
  return known !== undefined && conjoin(known, literal) === 'nothing';
}
