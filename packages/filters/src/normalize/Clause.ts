import { conjoin, type Literal } from './Literal.js';

/** A conjunction: literals by slot. Without literals it is always true. */
export interface Clause {
  readonly literals: ReadonlyMap<string, Literal>;
  /** Equal for equal clauses. */
  readonly key: string;
}

/** A disjunction of clauses by key: none is *nothing*, one that is empty makes it *everything*. */
export type ClauseSet = ReadonlyMap<string, Clause>;

/** Always true. */
export const EMPTY_CLAUSE: Clause = { literals: new Map(), key: '' };

/** Always true. */
export const EVERYTHING: ClauseSet = new Map([[EMPTY_CLAUSE.key, EMPTY_CLAUSE]]);

/** Never true. */
export const NOTHING: ClauseSet = new Map();

export function toClause(literals: Iterable<Literal>): Clause {
  const bySlot = new Map<string, Literal>();
  for (const literal of literals) bySlot.set(literal.slot, literal);
  const keys = [...bySlot.values()].map(({ key }) => key).sort();
  return { literals: bySlot, key: keys.join(',') };
}

/** Both clauses hold. @returns undefined where they contradict each other */
export function conjoinClauses(a: Clause, b: Clause): Clause | undefined {
  if (a.literals.size === 0) return b;
  if (b.literals.size === 0) return a;
  const merged = new Map(a.literals);
  for (const [slot, literal] of b.literals) {
    const present = merged.get(slot);
    const both = present === undefined ? literal : conjoin(present, literal);
    if (both === 'nothing' || both === 'everything') return undefined;
    merged.set(slot, both);
  }
  return toClause(merged.values());
}
