/*
 * Chooses a filter's access path. A leaf is indexed by itself, a conjunction through its cheapest part, a disjunction
 * through all of its parts. The cost is the expected number of candidates, as far as it is known at registration: for
 * values, the number of filters already indexed under each; for other kinds, the share of its filters that a document
 * is expected to meet. So of two equalities the less crowded one is taken, and a filter on two fields doesn't end in
 * the bucket shared by all others. Filters aren't moved later.
 */
import type { CompiledLeaf, CompiledTest } from './CompiledTest.js';
import { isLeaf } from './CompiledTest.js';

/** Share of the filters of one kind that a document meets; empirical, from the benchmark workloads. */
const SHARE_OF_AREAS = 0.01;
const SHARE_OF_REGEXPS = 0.03;
const SHARE_OF_RANGES = 0.1;
const SHARE_OF_HALF_RANGES = 0.5;
const SHARE_OF_PRESENT = 0.8;
const SHARE_OF_NEGATED = 0.95;
/** Cost of probing an index, in candidates. */
const PROBE_COST = 4;

export interface Access {
  /** The filter can match only if one of these conditions holds. */
  readonly leaves: readonly CompiledLeaf[];
  readonly cost: number;
}

/** @param filterCount number of filters in the collection */
export function chooseAccess(test: CompiledTest, filterCount: number): Access {
  if (isLeaf(test)) return { leaves: [test], cost: costOf(test, filterCount) };
  return test.kind === 'and' ? cheapestOf(test.operand, filterCount) : allOf(test.operand, filterCount);
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
  return leaf === undefined && access !== undefined ? access : { leaves: leaf === undefined ? [] : [leaf], cost };
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
