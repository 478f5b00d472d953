/*
 * What makes a disjunctive normal form canonical (realtime-filters.md section 8, step 6 and the equalities it promises):
 * clauses that differ in one slot only are united in it, so that `in` and an `or` of `equals` meet in one form wherever
 * they stand; then a clause that implies another one is dropped; then what is always true is recognised.
 */
import { EVERYTHING, toClause, type Clause, type ClauseSet } from './Clause.js';
import { isAlwaysTrue } from './isAlwaysTrue.js';
import { implies, type Literal } from './Literal.js';
import { uniteAll } from './uniteAll.js';
import type { WorkBudget } from './WorkBudget.js';

export function simplifyClauses(clauses: ClauseSet, budget: WorkBudget): ClauseSet {
  const united = uniteClauses(clauses, budget);
  const kept = absorb(united, budget);
  return isAlwaysTrue([...kept.values()]) ? EVERYTHING : kept;
}

/** Unites one-literal clauses of the same slot. */
export function uniteUnits(clauses: ClauseSet): ClauseSet {
  const result = new Map<string, Clause>();
  const units = new Map<string, Literal[]>();
  for (const clause of clauses.values()) {
    const [literal] = clause.literals.values();
    if (literal === undefined) return EVERYTHING;
    if (clause.literals.size > 1) result.set(clause.key, clause);
    else push(units, literal.slot, literal);
  }
  for (const literals of units.values()) {
    const whole = uniteAll(literals);
    if (whole === 'everything') return EVERYTHING;
    const clause = toClause([whole]);
    result.set(clause.key, clause);
  }
  return result;
}

/** Unites clauses that differ in one slot, until none do. Each union leaves fewer clauses, so this ends. */
function uniteClauses(clauses: ClauseSet, budget: WorkBudget): ClauseSet {
  let current = clauses;
  for (;;) {
    const bySlots = new Map<string, Clause[]>();
    for (const clause of current.values()) {
      push(bySlots, JSON.stringify([...clause.literals.keys()].sort()), clause);
    }
    const next: Clause[] = [];
    for (const group of bySlots.values()) next.push(...uniteGroup(group, budget));
    const before = current.size;
    current = new Map(next.map((clause) => [clause.key, clause]));
    if (current.size === before) return current;
  }
}

/** @param group clauses over the same slots */
function uniteGroup(group: readonly Clause[], budget: WorkBudget): readonly Clause[] {
  let clauses = group;
  const slots = [...(group[0]?.literals.keys() ?? [])].sort();
  if (group.length < 2) return group;
  for (const slot of slots) {
    budget.spend(clauses.length);
    const byRest = new Map<number, Clause[]>();
    for (const clause of clauses) {
      const literal = clause.literals.get(slot);
      if (literal !== undefined) push(byRest, digestOf(clause) - digest(literal.key), clause);
    }
    clauses = [...byRest.values()].flatMap((alike) =>
      areEqualBeside(slot, alike, budget) ? [uniteIn(slot, alike)] : alike,
    );
  }
  return clauses;
}

function areEqualBeside(slot: string, clauses: readonly Clause[], budget: WorkBudget): boolean {
  const [first, ...others] = clauses;
  return others.every((clause) => {
    budget.spend(clause.literals.size);
    for (const [each, literal] of clause.literals) {
      if (each !== slot && first?.literals.get(each)?.key !== literal.key) return false;
    }
    return true;
  });
}

const digests = new WeakMap<Clause, number>();

/** The sum of the digests of its literals: without one of them it is that of the rest. */
function digestOf(clause: Clause): number {
  const known = digests.get(clause);
  if (known !== undefined) return known;
  let sum = 0;
  for (const { key } of clause.literals.values()) sum += digest(key);
  digests.set(clause, sum);
  return sum;
}

/** 42 bits, so that sums of a thousand stay exact. */
function digest(text: string): number {
  let high = 7;
  let low = 11;
  for (let i = 0; i < text.length; i++) {
    high = Math.imul(high ^ text.charCodeAt(i), 0x01000193);
    low = Math.imul(low + text.charCodeAt(i), 0x85ebca6b) ^ (low >>> 15);
  }
  return (high >>> 0) * 1_024 + (low >>> 22);
}

/** @param clauses equal but for this slot */
function uniteIn(slot: string, clauses: readonly Clause[]): Clause {
  const [first] = clauses;
  if (first === undefined || clauses.length === 1) return first ?? toClause([]);
  const literals = clauses.flatMap((clause) => clause.literals.get(slot) ?? []);
  const whole = uniteAll(literals);
  const others = [...first.literals.values()].filter((literal) => literal.slot !== slot);
  return toClause(whole === 'everything' ? others : [...others, whole]);
}

/** Drops each clause that implies another one. A clause is looked for under the rarest of its slots only. */
function absorb(clauses: ClauseSet, budget: WorkBudget): ClauseSet {
  const uses = new Map<string, number>();
  for (const { literals } of clauses.values()) {
    for (const slot of literals.keys()) uses.set(slot, (uses.get(slot) ?? 0) + 1);
  }
  const bySlot = new Map<string, Clause[]>();
  for (const clause of clauses.values()) {
    let rarest: string | undefined;
    for (const slot of clause.literals.keys()) {
      if (rarest === undefined || (uses.get(slot) ?? 0) < (uses.get(rarest) ?? 0)) rarest = slot;
    }
    if (rarest === undefined) return EVERYTHING;
    push(bySlot, rarest, clause);
  }
  const isAbsorbed = (clause: Clause) => {
    for (const slot of clause.literals.keys()) {
      const wider = bySlot.get(slot) ?? [];
      if (wider.some((other) => other !== clause && absorbs(other, clause, budget))) return true;
    }
    return false;
  };
  return new Map([...clauses].filter(([, clause]) => !isAbsorbed(clause)));
}

function absorbs(wide: Clause, narrow: Clause, budget: WorkBudget): boolean {
  budget.spend(1);
  if (wide.literals.size > narrow.literals.size) return false;
  for (const [slot, literal] of wide.literals) {
    const other = narrow.literals.get(slot);
    if (other === undefined) return false;
    if (other.key === literal.key) continue;
    if (literal.kind !== 'values' || other.kind !== 'values') return false;
    budget.spend(literal.values.length + other.values.length);
    if (!implies(other, literal)) return false;
  }
  return true;
}

function push<K, T>(groups: Map<K, T[]>, key: K, member: T): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [member]);
  else group.push(member);
}
