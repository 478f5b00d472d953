import type { AggregationResult } from '../../aggregations/AggregationRun.js';
import type { KeptAggregation, Sign, KeepContext } from './KeptAggregations.js';
import { MAX_KEYS } from './measuredAggregations.js';

/** `value_count` and `sum`, of whole numbers. */
export class KeptSum implements KeptAggregation {
  private value: number;

  constructor({ value }: AggregationResult) {
    this.value = Number(value);
  }

  apply({ value }: AggregationResult, sign: Sign): boolean {
    this.value += sign * Number(value);
    return Number.isSafeInteger(this.value);
  }

  result(): AggregationResult {
    return { value: this.value };
  }
}

/** `min` and `max`. */
export class KeptExtreme implements KeptAggregation {
  constructor(
    private readonly kind: 'min' | 'max',
    private current: AggregationResult,
  ) {}

  apply(one: AggregationResult, sign: Sign): boolean {
    const { value } = one;
    const { value: known } = this.current;
    if (value === null) return true;
    if (typeof value !== 'number') return false;
    // What comes after the extreme is unknown.
    if (sign < 0) return value !== known;
    if (known === null || isBetter(this.kind, value, Number(known))) this.current = one;
    return true;
  }

  result(): AggregationResult {
    return this.current;
  }
}

/** `stats` and `avg` of whole numbers, from results of `stats`. */
export class KeptStats implements KeptAggregation {
  private count: number;
  private sum: number;
  private readonly min: KeptExtreme;
  private readonly max: KeptExtreme;

  constructor(
    private readonly kind: 'avg' | 'stats',
    { count, sum, min, max }: AggregationResult,
  ) {
    this.count = Number(count);
    this.sum = Number(sum);
    this.min = new KeptExtreme('min', { value: min });
    this.max = new KeptExtreme('max', { value: max });
  }

  apply({ count, sum, min, max }: AggregationResult, sign: Sign): boolean {
    this.count += sign * Number(count);
    this.sum += sign * Number(sum);
    if (!Number.isSafeInteger(this.sum)) return false;
    if (this.kind === 'avg') return true;
    const isMinKept = this.min.apply({ value: min }, sign);
    return this.max.apply({ value: max }, sign) && isMinKept;
  }

  result(): AggregationResult {
    const { count, sum } = this;
    const avg = count === 0 ? null : sum / count;
    if (this.kind === 'avg') return { value: avg };
    const [{ value: min }, { value: max }] = [this.min.result(), this.max.result()];
    return { count, min, max, avg, sum };
  }
}

function isBetter(kind: 'min' | 'max', value: number, known: number): boolean {
  return kind === 'min' ? value < known : value > known;
}

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
