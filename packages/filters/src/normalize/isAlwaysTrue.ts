/*
 * A disjunction is always true when no assumption makes every clause false. The search falsifies clause after clause by
 * denying one of its literals; it gives up after a number of steps, and then says no: the answer depends on the sorted
 * clauses alone, so equal filters get the same one.
 */
import type { Clause } from './Clause.js';
import { conjoin, contradict, negate, type Literal } from './Literal.js';

/** Literals looked at. */
const MAX_STEPS = 4_000;

export function isAlwaysTrue(clauses: readonly Clause[]): boolean {
  if (clauses.some(({ literals }) => literals.length === 0)) return true;
  // Where each clause asks for something, a document of none of it matches nothing.
  if (clauses.every(({ literals }) => literals.some(({ allows }) => allows))) return false;
  // Short clauses leave the fewest ways.
  const ordered = [...clauses].sort(
    (a, b) => a.literals.length - b.literals.length || compareClauses(a, b),
  );
  return !new Search(ordered).canFail(0);
}

class Search {
  private readonly assumed = new Map<number, Literal>();
  private steps = 0;

  constructor(private readonly clauses: readonly Clause[]) {}

  /** Can the clauses from here on all be false under the assumption? Gives up as if they could. */
  canFail(from: number): boolean {
    let at = from;
    while (at < this.clauses.length && this.isDenied(this.clauses[at] as Clause)) at++;
    const clause = this.clauses[at];
    if (clause === undefined || this.steps > MAX_STEPS) return true;
    const { assumed } = this;
    for (const literal of clause.literals) {
      this.steps++;
      const known = assumed.get(literal.slot);
      const denied = known === undefined ? negate(literal) : conjoin(known, negate(literal));
      if (denied === 'nothing') continue;
      assumed.set(literal.slot, denied);
      const fails = this.canFail(at + 1);
      if (known === undefined) assumed.delete(literal.slot);
      else assumed.set(literal.slot, known);
      if (fails) return true;
    }
    return false;
  }

  private isDenied({ literals }: Clause): boolean {
    for (let i = 0; i < literals.length; i++) {
      const literal = literals[i] as Literal;
      this.steps++;
      const known = this.assumed.get(literal.slot);
      if (known !== undefined && contradict(known, literal)) return true;
    }
    return false;
  }
}

function compareClauses(a: Clause, b: Clause): number {
  const length = Math.min(a.literals.length, b.literals.length);
  for (let i = 0; i < length; i++) {
    const x = a.literals[i];
    const y = b.literals[i];
    if (x === undefined || y === undefined || x === y) continue;
    if (x.slot !== y.slot) return x.slot - y.slot;
    if (x.allows !== y.allows) return x.allows ? -1 : 1;
    for (let j = 0; j < x.values.length || j < y.values.length; j++) {
      const difference = (x.values[j] ?? -1) - (y.values[j] ?? -1);
      if (difference !== 0) return difference;
    }
  }
  return a.literals.length - b.literals.length;
}
