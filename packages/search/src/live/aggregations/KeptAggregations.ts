import type { BoundAggregation } from '@millrace/query';
import { withMembers, type AggregationResult } from '../../aggregations/AggregationRun.js';
import { KeptCardinality, KeptExtreme, KeptStats, KeptSum } from './keptMetrics.js';
import { KeptFixedBuckets, KeptHistogram, KeptTerms } from './keptBuckets.js';

/** Whether a document enters an aggregation or leaves it. */
export type Sign = 1 | -1;

/** The result of an aggregation, kept up to date from the results over single documents. */
export interface KeptAggregation {
  /**
   * @param one the result over one document
   * @returns false if the change can't be taken over: search again
   */
  apply(one: AggregationResult, sign: Sign): boolean;
  result(): AggregationResult;
}

/** What kept aggregations need of the executor. */
export interface KeepContext {
  /** The result of an aggregation over no document. */
  readonly computeEmpty: (aggregation: BoundAggregation) => AggregationResult;
  /** Counts memory in addition to that of the measured results. @param bytes negative: released */
  readonly grow: (bytes: number) => void;
}

/** Aggregations of one level. */
export class KeptAggregations {
  private readonly kept: ReadonlyMap<string, KeptAggregation>;

  /**
   * @param asked those of the search, which `followMode` accepts
   * @param measured the results of `measuredAggregations` over all matches
   */
  constructor(
    private readonly asked: readonly BoundAggregation[],
    measured: AggregationResult,
    context: KeepContext,
  ) {
    this.kept = new Map(
      asked.map((each) => [each.name, keep(each, measured[each.name] as AggregationResult, context)]),
    );
  } // prettier-ignore

  /** @param one the results of `measuredAggregations` over one document @returns false: search again */
  apply(one: AggregationResult, sign: Sign): boolean {
    for (const [name, kept] of this.kept) {
      if (!kept.apply(one[name] as AggregationResult, sign)) return false;
    }
    return true;
  }

  result(): AggregationResult {
    const results = this.asked.map(({ name, meta }): [string, AggregationResult] => {
      const result = (this.kept.get(name) as KeptAggregation).result();
      return [name, meta === undefined ? result : withMembers({ meta }, result)];
    });
    return Object.fromEntries(results);
  }
}

function keep(asked: BoundAggregation, measured: AggregationResult, context: KeepContext): KeptAggregation {
  const { aggregations } = asked;
  switch (asked.kind) {
    case 'value_count':
    case 'sum':
      return new KeptSum(measured);
    case 'min':
    case 'max':
      return new KeptExtreme(asked.kind, measured);
    case 'avg':
    case 'stats':
      return new KeptStats(asked.kind, measured);
    case 'cardinality':
      return new KeptCardinality(measured, context);
    case 'filter':
    case 'missing':
    case 'nested':
    case 'reverse_nested':
      return new KeptBucket(aggregations, measured, context);
    case 'filters':
    case 'range':
    case 'date_range':
      return new KeptFixedBuckets(aggregations, measured, context);
    case 'terms':
      return new KeptTerms(asked, measured, context);
    case 'histogram':
    case 'date_histogram':
      return new KeptHistogram(asked, measured, context);
    default:
      throw new Error(`${asked.kind} at ${asked.path} can't be kept`);
  }
}

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
