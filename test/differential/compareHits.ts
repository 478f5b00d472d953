import { NO_DOCUMENT_METADATA, type JsonObject, type JsonValue, type SearchHit } from '@millrace/kernel';
import type { Mismatch, RequestBody } from './Answer.js';
import { compareHighlights } from './compareHighlights.js';
import { compareValues, isNear } from './compareValues.js';
import { innerQueries } from './innerQueries.js';

/** Hits of a search, of `top_hits` or of `inner_hits`. */
export interface HitList {
  readonly total: number;
  readonly hits: readonly SearchHit[];
}

export interface ComparedHits {
  /** The part of the request that asks for these hits: `query`, `sort`, `highlight`. */
  readonly request: RequestBody;
  /** Whether the ranking by score is promised. */
  readonly isRanked: boolean;
}

/** Elasticsearch keeps points to about 1 cm, and distances by them. */
const SORT_TOLERANCE = 0.01;
const RANK_TOLERANCE = 0.01;

export function* compareHits(
  left: HitList,
  right: HitList,
  { request, isRanked }: ComparedHits,
): Generator<Mismatch, void> {
  const [ids, others] = [left, right].map(({ hits }) => hits.map(({ id }) => id)) as [string[], string[]];
  if (left.total !== right.total || ids.length !== others.length) {
    yield { kind: 'hit count', left: [left.total, ids], right: [right.total, others] };
    return;
  }
  // Only a sort that ends in `_id` is total.
  const isSorted = JSON.stringify(request['sort'] ?? '').includes('"_id"');
  const isWhole = ids.length === left.total;
  const isSame = isSorted
    ? ids.every((id, at) => id === others[at])
    : !isWhole || ids.every((id) => others.includes(id));
  if (!isSame) {
    const [a, b] = [left, right].map(({ hits }) => hits.map(({ id, sort }) => [id, ...(sort ?? [])]));
    yield { kind: isSorted ? 'order' : 'hits', left: a, right: b };
    return;
  }
  if (isRanked && isWhole && !(isOrderedBy(left.hits, right.hits) && isOrderedBy(right.hits, left.hits))) {
    const [a, b] = [left, right].map(({ hits }) => hits.map(({ id, score }) => [id, score]));
    yield { kind: 'ranking', left: a, right: b };
  }
  const twins = new Map(right.hits.map((hit) => [hit.id, hit]));
  for (const hit of left.hits) {
    const twin = twins.get(hit.id);
    if (twin !== undefined) yield* compareTwins(hit, twin, request);
  }
}

/** Whether no hit comes before another one whose score is more than 1 % higher by the other engine's count. */
function isOrderedBy(ordered: readonly SearchHit[], scored: readonly SearchHit[]): boolean {
  const scores = new Map(scored.map(({ id, score }) => [id, score ?? 0]));
  let lowest = Number.POSITIVE_INFINITY;
  return ordered.every(({ id }) => {
    const score = scores.get(id) ?? 0;
    const isOrdered = score <= lowest * (1 + RANK_TOLERANCE);
    lowest = Math.min(lowest, score);
    return isOrdered;
  });
}

function* compareTwins(a: SearchHit, b: SearchHit, request: RequestBody): Generator<Mismatch, void> {
  const { id } = a;
  if ((a.score === null) !== (b.score === null)) yield { kind: 'score', left: [id, a.score], right: [id, b.score] };
  if (a.version !== b.version) yield { kind: 'version', left: [id, a.version], right: [id, b.version] };
  const isSameSort = (a.sort ?? []).every((value, at) => isSameSortValue(value, b.sort?.[at]));
  if (!isSameSort || a.sort?.length !== b.sort?.length)
    yield { kind: 'sort values', left: [id, a.sort], right: [id, b.sort] };
  yield* compareValues(a.source ?? null, b.source ?? null, {
    path: `_source of ${id}`,
    kind: '_source',
  });
  yield* compareHighlights(a, b, request);
  const [inner, other] = [a.innerHits ?? {}, b.innerHits ?? {}];
  for (const name of new Set([...Object.keys(inner), ...Object.keys(other)])) {
    const found = innerQueries(request).find((query) => query.name === name);
    const compared = { request: found?.request ?? {}, isRanked: false };
    for (const { kind, left, right } of compareHits(hitList(inner[name]), hitList(other[name]), compared))
      yield { kind: `inner_hits.${kind}`, left: { [id]: left }, right: { [id]: right } };
  }
}

function isSameSortValue(a: JsonValue, b: JsonValue | undefined): boolean {
  if (typeof a !== 'number' || typeof b !== 'number') return a === b;
  return Math.abs(a - b) <= SORT_TOLERANCE || isNear(a, b, 1e-6);
}

/** The hits in `{hits: [...], total}`, with nested objects told apart by their place in the document. */
export function hitList(value: JsonValue | undefined): HitList {
  const { hits = [], total = 0 } = (value ?? {}) as {
    hits?: readonly JsonObject[];
    total?: JsonValue;
  };
  return { total: Number(total), hits: hits.map(toHit) };
}

function toHit(hit: JsonObject): SearchHit {
  const { _id: id, _nested: nested, _score: score, _source: source, sort, highlight } = hit;
  return {
    id: `${id as string}${nested === undefined ? '' : JSON.stringify(nested)}`,
    score: score as number | null,
    version: 0,
    meta: NO_DOCUMENT_METADATA,
    ...(source === undefined ? {} : { source: source as JsonObject }),
    ...(sort === undefined ? {} : { sort: sort as readonly JsonValue[] }),
    ...(highlight === undefined ? {} : { highlight: highlight as JsonObject }),
  };
}
