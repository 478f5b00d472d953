import type { BoundAggregation } from '@millrace/query';
import type { AggregationResult } from '../../aggregations/AggregationRun.js';
import type { KeptAggregation, Sign } from './KeptAggregation.js';
import { KeptAggregations, type KeepContext } from './KeptAggregations.js';

/** One bucket: `filter`, `missing`, `nested`, `reverse_nested`, and each bucket of the others. */
export class KeptBucket implements KeptAggregation {
  docCount: number;
  private readonly children: KeptAggregations;
  /** Memory of buckets that have come inside. */
  private grownBytes = 0;

  constructor(
    aggregations: readonly BoundAggregation[],
    private readonly own: AggregationResult,
    context: KeepContext,
  ) {
    this.docCount = Number(own['doc_count']);
    this.children = new KeptAggregations(aggregations, own, {
      computeEmpty: context.computeEmpty,
      grow: (bytes) => {
        this.grownBytes += bytes;
        context.grow(bytes);
      },
    });
  }

  /** Estimated memory. */
  get bytes(): number {
    return JSON.stringify(this.own).length + this.grownBytes;
  }

  apply(one: AggregationResult, sign: Sign): boolean {
    const count = Number(one['doc_count']);
    this.docCount += sign * count;
    return count === 0 || this.children.apply(one, sign);
  }

  /** Of the aggregations in the bucket. */
  inside(): AggregationResult {
    return this.children.result();
  }

  result(): AggregationResult {
    return { ...this.own, doc_count: this.docCount, ...this.inside() };
  }
}
