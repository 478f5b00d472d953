import type { JsonObject, JsonValue } from '@millrace/kernel';
import type { Mismatch, RequestBody } from './Answer.js';
import { compareHits, hitList } from './compareHits.js';
import { compareValues, isNear, isParent } from './compareValues.js';

/** Of `top_hits` and `terms`: not part of the promise. */
const IGNORED = new Set(['doc_count_error_upper_bound']);
const DATE = /^\d{4}-\d\d|^\d\d\/\d{4}$/;

/** @param search the request around, whose query `top_hits` may highlight */
export function* compareAggregations(
  requested: JsonObject,
  left: JsonObject = {},
  right: JsonObject = {},
  search: RequestBody = {},
): Generator<Mismatch, void> {
  yield* new AggregationComparison(search).compare(left, right, requested, 'aggregations');
}

class AggregationComparison {
  constructor(private readonly search: RequestBody) {}

  /** @param requested the aggregations that may be found in an answer or a bucket, by name */
  *compare(a: JsonValue, b: JsonValue, requested: JsonObject, path: string): Generator<Mismatch, void> {
    if (!isParent(a) || !isParent(b)) {
      yield* compareValues(a, b, { path });
      return;
    }
    const [left, right] = [withNumbers(a), withNumbers(b)];
    for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
      const [x, y] = [left[key], right[key]];
      if (IGNORED.has(key) || isNumberText(key, x, y)) continue;
      if (x === undefined || y === undefined) {
        yield { kind: `${path}.${key}`, left: a, right: b };
        // A missing bucket shifts the others.
        if (Array.isArray(a)) return;
        continue;
      }
      const named = requested[key];
      if (named === undefined) yield* this.compare(x, y, requested, `${path}.${key}`);
      else yield* this.compareNamed(x, y, named as JsonObject, `${path}.${key}`);
    }
  }

  private *compareNamed(a: JsonValue, b: JsonValue, named: JsonObject, path: string): Generator<Mismatch, void> {
    const { top_hits: topHits, percentiles, median_absolute_deviation: deviation } = named;
    if (topHits !== undefined) {
      const request = { query: this.search['query'] ?? {}, ...(topHits as JsonObject) };
      const [left, right] = [hitsIn(a), hitsIn(b)];
      for (const { kind, ...sides } of compareHits(left, right, { request, isRanked: false }))
        yield { kind: `${path}.${kind}`, ...sides };
    } else if (percentiles !== undefined) {
      const [left, right] = [percentilesIn(a), percentilesIn(b)];
      if (!areNeighbours(left, right) || !areNeighbours(right, left))
        yield { kind: `${path}.values`, left: a, right: b };
    } else if (deviation !== undefined) {
      // Its estimate depends on the order in which values are read.
      const [left, right] = [a, b].map((side) => Number((side as JsonObject)['value']));
      if (!isNear(left ?? 0, right ?? 0, 0.01)) yield { kind: path, left: a, right: b };
    } else {
      const { aggs, aggregations = aggs } = named;
      yield* this.compare(a, b, (aggregations ?? {}) as JsonObject, path);
    }
  }
}

/** With keys of histograms as JavaScript writes numbers: how they are written is not promised. */
function withNumbers(parent: JsonObject | readonly JsonValue[]): JsonObject {
  const number = (key: string) => (/^-?\d+\.\d+(E\d+)?$/.test(key) ? String(Number(key)) : key);
  return Object.fromEntries(Object.entries(parent).map(([key, value]) => [number(key), value]));
}

/** Of `*_as_string` only dates have a promised format. */
function isNumberText(key: string, a?: JsonValue, b?: JsonValue): boolean {
  return key.endsWith('_as_string') && ![a, b].some((text) => typeof text === 'string' && DATE.test(text));
}

function hitsIn(aggregation: JsonValue): ReturnType<typeof hitList> {
  const { hits } = aggregation as { hits?: JsonObject };
  const total = hits?.['total'];
  return hitList({
    ...hits,
    total: isParent(total) ? ((total as JsonObject)['value'] ?? 0) : (total ?? 0),
  });
}

function percentilesIn(aggregation: JsonValue): readonly (number | null)[] {
  const values = (aggregation as JsonObject)['values'] as JsonObject | readonly JsonObject[];
  const list = Array.isArray(values)
    ? (values as readonly JsonObject[]).map(({ value }) => value)
    : Object.entries(values).flatMap(([key, value]) => (key.endsWith('_as_string') ? [] : [value]));
  return list.map((value) => (typeof value === 'number' ? value : null));
}

/** Whether each value lies between those of the percents before and after it on the other side. */
function areNeighbours(values: readonly (number | null)[], others: readonly (number | null)[]): boolean {
  return values.every((value, at) => {
    if (value === null) return (others[at] ?? null) === null;
    const [low, high] = [others[at - 1] ?? -Infinity, others[at + 1] ?? Infinity];
    return (value >= low && value <= high) || isNear(value, low, 1e-9) || isNear(value, high, 1e-9);
  });
}
