/*
 * What makes a disjunctive normal form canonical (realtime-filters.md section 8, step 6 and the equalities it promises).
 *
 * Problem: `in` stands for an `or` of `equals`, so that by distribution and absorption value lists may overlap in any
 * way and still mean the same: a∈{1,2}∧b=1 or a∈{2,3}∧b∈{1,2} is a=1∧b=1 or a∈{2,3}∧b∈{1,2}. Idea: clauses over the
 * same slots are boxes in the space of those slots' values. Their union, without what clauses over fewer of the slots
 * hold already (absorption), is a set of points that equal filters share; `sliceBoxes` cuts it into boxes in one way
 * only. A condition beside its negation fills its slot, which falls away; then clauses meet others, and the round is
 * repeated.
 * Refused: all prime implicants (a pair of `and(equals, range)` on one field has a third, and n of them 2^n).
 */
import { FilterError } from '../FilterError.js';
import { toClause, type Clause } from './Clause.js';
import { ClauseSet } from './ClauseSet.js';
import { isAlwaysTrue } from './isAlwaysTrue.js';
import { sliceBoxes } from './sliceBoxes.js';
import type { WorkBudget } from './WorkBudget.js';
import type { Steps } from '../Steps.js';

export function* simplifyClauses(given: ClauseSet, budget: WorkBudget): Steps<readonly Clause[]> {
  let clauses: readonly Clause[] = given.clauses;
  // Each round but the last one leaves fewer slots.
  for (let isSettled = clauses.length < 2; !isSettled;) {
    const next = yield* attempt(clauses, budget);
    isSettled = next === undefined || slotCount(next) >= slotCount(clauses);
    clauses = next ?? clauses;
  }
  return isAlwaysTrue(clauses) ? [toClause([])] : clauses;
}

/**
 * What it costs does not depend on the order of the clauses.
 * @returns undefined where it would take too long: the clauses stay as they are, which is right if not canonical
 */
function* attempt(
  clauses: readonly Clause[],
  budget: WorkBudget,
): Steps<readonly Clause[] | undefined> {
  try {
    return yield* simplifyOnce(clauses, budget);
  } catch (error) {
    if (error instanceof FilterError) return undefined;
    throw error;
  }
}

function slotCount(clauses: readonly Clause[]): number {
  return clauses.reduce((sum, { literals }) => sum + literals.length, 0);
}

function* simplifyOnce(clauses: readonly Clause[], budget: WorkBudget): Steps<readonly Clause[]> {
  const groups = groupBySlots(clauses);
  const bySlot = indexByRarestSlot(groups);
  const result = new ClauseSet();
  for (const group of groups) {
    if (group.slots.length === 0) return [toClause([])];
    const wider = findWider(group, bySlot, budget);
    if (budget.isDue(8)) yield;
    if (group.clauses.length === 1 && wider.length === 0) {
      for (const clause of group.clauses) result.add(clause);
      continue;
    }
    const boxes = group.clauses.map(({ literals }) => literals);
    const taken = wider.map(({ literals }) => {
      const own = new Map(literals.map((literal) => [literal.slot, literal]));
      return group.slots.map((slot) => own.get(slot));
    });
    for (const box of yield* sliceBoxes(group.slots, boxes, taken, budget)) result.add(toClause(box)); // prettier-ignore
  }
  return result.clauses;
}

/** Clauses over the same slots. */
interface Group {
  readonly slots: readonly number[];
  readonly clauses: Clause[];
}

function groupBySlots(clauses: readonly Clause[]): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const clause of clauses) {
    const slots = clause.literals.map(({ slot }) => slot);
    const key = slots.join();
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { slots, clauses: [clause] });
    else group.clauses.push(clause);
  }
  return [...groups.values()];
}

/** A group is found under the slot that fewest groups have; groups of few slots come first. */
function indexByRarestSlot(groups: readonly Group[]): ReadonlyMap<number, Group[]> {
  const uses = new Map<number, number>();
  for (const { slots } of groups)
    for (const slot of slots) uses.set(slot, (uses.get(slot) ?? 0) + 1);
  const bySlot = new Map<number, Group[]>();
  for (const group of groups) {
    let rarest: number | undefined;
    for (const slot of group.slots) {
      if (rarest === undefined || (uses.get(slot) ?? 0) < (uses.get(rarest) ?? 0)) rarest = slot;
    }
    if (rarest === undefined) continue;
    const others = bySlot.get(rarest);
    if (others === undefined) bySlot.set(rarest, [group]);
    else others.push(group);
  }
  for (const list of bySlot.values()) list.sort((a, b) => a.slots.length - b.slots.length);
  return bySlot;
}

/** The clauses over fewer of a group's slots that share points with it. */
function findWider(
  group: Group,
  bySlot: ReadonlyMap<number, Group[]>,
  budget: WorkBudget,
): readonly Clause[] {
  const wider: Clause[] = [];
  for (const slot of group.slots) {
    for (const other of bySlot.get(slot) ?? []) {
      budget.spend(1);
      if (other.slots.length >= group.slots.length) break;
      budget.spend(other.slots.length);
      if (other.slots.every((each) => group.slots.includes(each))) wider.push(...other.clauses);
    }
  }
  return wider;
}
