/*
 * How a filter is reached. A leaf is reached through its own index, a conjunction through its cheapest part, a
 * disjunction through all of its parts. Cost is the number of filters that are candidates together, as far as it
 * can be told at registration: for values, how many filters stand behind each already; for other kinds, the share
 * of its filters that a document is expected to meet. So of two equalities the less crowded one is taken, and a filter
 * of two fields does not end in the bucket that all others are in. Nothing is moved later.
 */
import type { CompiledLeaf, CompiledTest } from './CompiledTest.js';
import { isLeaf } from './CompiledTest.js';

/** Share of the filters of one kind that a document meets, by experience with the bench's workloads. */
const SHARE_OF_AREAS = 0.01;
const SHARE_OF_REGEXPS = 0.03;
const SHARE_OF_RANGES = 0.1;
const SHARE_OF_HALF_RANGES = 0.5;
const SHARE_OF_PRESENT = 0.8;
const SHARE_OF_NEGATED = 0.95;
/** What probing an index costs, in candidates. */
const PROBE_COST = 4;

export interface Access {
  /** The filter can match only where one of these holds. */
  readonly leaves: readonly CompiledLeaf[];
  readonly cost: number;
}

/** @param filterCount filters of the collection */
export function chooseAccess(test: CompiledTest, filterCount: number): Access {
  if (isLeaf(test)) return { leaves: [test], cost: costOf(test, filterCount) };
  return test.kind === 'and'
    ? cheapestOf(test.operand, filterCount)
    : allOf(test.operand, filterCount);
}

function cheapestOf(parts: readonly CompiledTest[], filterCount: number): Access {
  let cost = Infinity;
  let leaf: CompiledLeaf | undefined;
  let access: Access | undefined;
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i] as CompiledTest;
    if (isLeaf(part)) {
      const own = costOf(part, filterCount);
      if (own < cost) [leaf, cost] = [part, own];
    } else {
      const own = chooseAccess(part, filterCount);
      if (own.cost < cost) [leaf, access, cost] = [undefined, own, own.cost];
    }
  }
  return leaf === undefined && access !== undefined
    ? access
    : { leaves: leaf === undefined ? [] : [leaf], cost };
}

function allOf(parts: readonly CompiledTest[], filterCount: number): Access {
  const leaves: CompiledLeaf[] = [];
  let cost = 0;
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i] as CompiledTest;
    if (isLeaf(part)) {
      leaves.push(part);
      cost += costOf(part, filterCount);
    } else {
      const own = chooseAccess(part, filterCount);
      for (const leaf of own.leaves) leaves.push(leaf);
      cost += own.cost;
    }
  }
  return { leaves, cost };
}

function costOf(leaf: CompiledLeaf, filterCount: number): number {
  if (leaf.isNegated) return PROBE_COST + SHARE_OF_NEGATED * filterCount;
  switch (leaf.kind) {
    case 'equals':
      return 1 + leaf.field.loadOf(leaf.operand);
    case 'in': {
      let cost = 0;
      for (const value of leaf.operand) cost += 1 + leaf.field.loadOf(value);
      return cost;
    }
    case 'area':
      return PROBE_COST + SHARE_OF_AREAS * filterCount;
    case 'regexp':
      return PROBE_COST + SHARE_OF_REGEXPS * filterCount;
    case 'range': {
      const { low, high } = leaf.operand;
      const isHalf = low === -Infinity || high === Infinity;
      return PROBE_COST + (isHalf ? SHARE_OF_HALF_RANGES : SHARE_OF_RANGES) * filterCount;
    }
    case 'exists':
      return PROBE_COST + SHARE_OF_PRESENT * filterCount;
  }
}
