import type { BoundAggregation } from '@millrace/query';
import type { AggregationResult } from '../../aggregations/AggregationRun.js';
import { compareTerms } from '../../columns/TermDictionary.js';
import type { Sign } from './KeptAggregation.js';
import type { KeepContext } from './KeptAggregations.js';
import { KeptBucket } from './KeptBucket.js';

type Key = string | number;

/** Buckets that come and go with the values of documents, in the order of their keys. */
export class KeptKeys {
  private readonly byKey = new Map<Key, KeptBucket>();
  private readonly keys: Key[];

  constructor(
    private readonly aggregations: readonly BoundAggregation[],
    buckets: readonly AggregationResult[],
    private readonly context: KeepContext,
  ) {
    this.keys = buckets.map((own) => {
      const key = own['key'] as Key;
      this.byKey.set(key, new KeptBucket(aggregations, own, context));
      return key;
    });
  }

  get first(): Key | undefined {
    return this.keys[0];
  }

  get last(): Key | undefined {
    return this.keys.at(-1);
  }

  get length(): number {
    return this.keys.length;
  }

  get(key: Key): KeptBucket | undefined {
    return this.byKey.get(key);
  }

  all(): KeptBucket[] {
    return this.keys.map((key) => this.byKey.get(key) as KeptBucket);
  }

  apply(buckets: readonly AggregationResult[], sign: Sign): boolean {
    return buckets.every((one) => this.applyOne(one, sign));
  }

  private applyOne(one: AggregationResult, sign: Sign): boolean {
    const key = one['key'] as Key;
    const known = this.byKey.get(key);
    if (known === undefined) return sign > 0 && this.add(key, one);
    if (sign > 0 || known.docCount > Number(one['doc_count'])) return known.apply(one, sign);
    this.context.grow(-known.bytes);
    this.byKey.delete(key);
    this.keys.splice(this.placeOf(key), 1);
    return true;
  }

  private add(key: Key, one: AggregationResult): boolean {
    const bucket = new KeptBucket(this.aggregations, one, this.context);
    this.context.grow(bucket.bytes);
    this.byKey.set(key, bucket);
    this.keys.splice(this.placeOf(key), 0, key);
    return true;
  }

  private placeOf(key: Key): number {
    const { keys } = this;
    let low = 0;
    let high = keys.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareKeys(keys[middle] as Key, key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** All keys of an aggregation have one type. */
function compareKeys(a: Key, b: Key): number {
  return typeof a === 'string' ? compareTerms(a, String(b)) : a - Number(b);
}
