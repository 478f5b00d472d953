import type { BoundAggregation } from '@millrace/query';
import type { AggregationResult } from '../../aggregations/AggregationRun.js';
import type { KeptAggregation, Sign } from './KeptAggregation.js';
import type { KeepContext } from './KeptAggregations.js';
import { KeptKeys } from './KeptKeys.js';

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
