import type { BoundAggregation } from '@millrace/query';
import type { AggregationResult } from '../../aggregations/AggregationRun.js';
import { orderBuckets } from '../../aggregations/bucketOrder.js';
import { compareTerms } from '../../columns/TermDictionary.js';
import { KeptBucket, type Sign, type KeepContext, type KeptAggregation } from './KeptAggregations.js';
import { MAX_KEYS } from './measuredAggregations.js';

type Key = string | number;

/** Buckets that come and go with the values of documents, in the order of their keys. */
class KeptKeys {
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

type Buckets = Readonly<Record<string, AggregationResult>> | readonly AggregationResult[];

/** Always the same buckets: `filters`, `range`, `date_range`. */
export class KeptFixedBuckets implements KeptAggregation {
  private readonly buckets: ReadonlyMap<string, KeptBucket>;
  private readonly isList: boolean;

  constructor(
    aggregations: readonly BoundAggregation[],
    result: AggregationResult,
    context: KeepContext,
  ) {
    const buckets = result['buckets'] as Buckets;
    this.isList = Array.isArray(buckets);
    this.buckets = new Map(
      Object.entries(buckets).map(([key, own]) => [key, new KeptBucket(aggregations, own, context)]),
    );
  } // prettier-ignore

  apply(one: AggregationResult, sign: Sign): boolean {
    const entries = Object.entries(one['buckets'] as Buckets);
    return entries.every(([key, bucket]) => this.buckets.get(key)?.apply(bucket, sign) === true);
  }

  result(): AggregationResult {
    const results = [...this.buckets].map(([key, bucket]) => [key, bucket.result()] as const);
    if (this.isList) return { buckets: results.map(([, bucket]) => bucket) };
    return { buckets: Object.fromEntries(results) };
  }
}

/** `terms`, from results with all keys. */
export class KeptTerms implements KeptAggregation {
  private readonly keys: KeptKeys;

  constructor(
    private readonly asked: BoundAggregation<'terms'>,
    result: AggregationResult,
    context: KeepContext,
  ) {
    const buckets = result['buckets'] as readonly AggregationResult[];
    this.keys = new KeptKeys(asked.aggregations, buckets, context);
  }

  apply(one: AggregationResult, sign: Sign): boolean {
    const buckets = one['buckets'] as readonly AggregationResult[];
    // Of more keys, the search has left out some.
    return this.keys.length < MAX_KEYS && this.keys.apply(buckets, sign);
  }

  result(): AggregationResult {
    const { order, size, path, minDocCount, aggregations } = this.asked;
    const buckets = this.keys.all().filter(({ docCount }) => docCount >= minDocCount);
    const at = (i: number) => buckets[i] as KeptBucket;
    const ordered = {
      count: buckets.length,
      docCountOf: (i: number) => at(i).docCount,
      rankOf: (i: number) => i,
      childrenOf: (i: number) => at(i).inside(),
      children: aggregations,
    };
    const shown = Array.from(orderBuckets(order, ordered, size, path), at);
    return {
      doc_count_error_upper_bound: 0,
      sum_other_doc_count: countOf(buckets) - countOf(shown),
      buckets: shown.map((bucket) => bucket.result()),
    };
  }
}

function countOf(buckets: readonly KeptBucket[]): number {
  return buckets.reduce((sum, { docCount }) => sum + docCount, 0);
}

/** `histogram` and `date_histogram` in the order of keys, from results without empty buckets. */
export class KeptHistogram implements KeptAggregation {
  private readonly keys: KeptKeys;
  private filled: { readonly span: string; readonly buckets: readonly AggregationResult[] } | undefined;

  constructor(
    private readonly asked: BoundAggregation<'histogram' | 'date_histogram'>,
    result: AggregationResult,
    private readonly context: KeepContext,
  ) {
    const buckets = result['buckets'] as readonly AggregationResult[];
    this.keys = new KeptKeys(asked.aggregations, buckets, context);
  }

  apply(one: AggregationResult, sign: Sign): boolean {
    return this.keys.apply(one['buckets'] as readonly AggregationResult[], sign);
  }

  result(): AggregationResult {
    const { minDocCount } = this.asked;
    if (minDocCount > 0) {
      const buckets = this.keys.all().filter(({ docCount }) => docCount >= minDocCount);
      return { buckets: buckets.map((bucket) => bucket.result()) };
    }
    const buckets = this.empty().map((bucket) => {
      return this.keys.get(bucket['key'] as number)?.result() ?? bucket;
    });
    return { buckets };
  }

  /** A bucket for each step from the first to the last one, without documents: as the executor fills gaps. */
  private empty(): readonly AggregationResult[] {
    const { asked, keys } = this;
    const given = asked.kind === 'histogram' ? asked.extendedBounds : asked.extended;
    const min = extreme(Math.min, given?.min, keys.first);
    const max = extreme(Math.max, given?.max, keys.last);
    const span = `${min} ${max}`;
    if (this.filled?.span === span) return this.filled.buckets;
    const bounds = { ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
    const extended = { extendedBounds: bounds, ...(asked.kind === 'date_histogram' && { extended: bounds }) };
    const result = this.context.computeEmpty({ ...asked, ...extended });
    const buckets = result['buckets'] as readonly AggregationResult[];
    this.filled = { span, buckets };
    return buckets;
  }
}

function extreme(
  choose: (a: number, b: number) => number,
  given: number | undefined,
  key: string | number | undefined,
): number | undefined {
  if (key === undefined) return given;
  return given === undefined ? Number(key) : choose(given, Number(key));
}
