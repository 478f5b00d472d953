import type { AggregationResult } from '../../aggregations/AggregationRun.js';
import type { KeptAggregation, Sign } from './KeptAggregation.js';
import type { KeepContext } from './KeptAggregations.js';
import { MAX_KEYS } from './measuredAggregations.js';

type Key = string | number;

/** `cardinality`, from the results of `terms` with all keys. */
export class KeptCardinality implements KeptAggregation {
  private readonly counts = new Map<Key, number>();

  constructor(
    { buckets }: AggregationResult,
    private readonly context: KeepContext,
  ) {
    for (const one of buckets as readonly AggregationResult[]) {
      this.counts.set(one['key'] as Key, Number(one['doc_count']));
    }
  }

  apply({ buckets }: AggregationResult, sign: Sign): boolean {
    for (const one of buckets as readonly AggregationResult[]) this.count(one, sign);
    return this.counts.size <= MAX_KEYS;
  }

  result(): AggregationResult {
    return { value: this.counts.size };
  }

  private count(one: AggregationResult, sign: Sign): void {
    const key = one['key'] as Key;
    const before = this.counts.get(key) ?? 0;
    const after = before + sign * Number(one['doc_count']);
    if (before === 0) this.context.grow(JSON.stringify(one).length);
    if (after > 0) this.counts.set(key, after);
    else if (this.counts.delete(key)) this.context.grow(-JSON.stringify(one).length);
  }
}
