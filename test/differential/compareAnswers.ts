/*
 * Judges two answers to one request by section 11 of query-language.md. Hits come in classes of equal sort key (or score):
 * within a class the order is free, and where the border of the page cuts a class, so is the choice. Everything else
 * has to be the same; numbers within a relative tolerance.
 */
import {
  NO_DOCUMENT_METADATA,
  type JsonObject,
  type JsonValue,
  type SearchHit,
  type SearchOutcome,
} from '@millrace/kernel';
import type { Answer, Mismatch } from './Answer.js';

export const SCORE_TOLERANCE = 1e-5;
const NUMBER_TOLERANCE = 1e-9;

/** Which parts count; scores do not where one side adds its own fields to a search over all of them. */
export interface CompareOptions {
  readonly from: number;
  readonly size: number;
}

/** The points where they part; after one in what is found, no more of what follows from it. */
export function* compareAnswers(
  left: Answer,
  right: Answer,
  options: CompareOptions,
): Generator<Mismatch, void> {
  if (!left.isRefused && !right.isRefused) {
    yield* compareOutcomes(left.outcome, right.outcome, options);
    return;
  }
  const [a, b] = [describe(left), describe(right)];
  if (!left.isRefused || !right.isRefused) {
    const side = left.isRefused ? 'embedded engine' : 'server';
    yield { kind: `refused by the ${side} alone`, left: a, right: b };
  } else if (left.error !== right.error) yield { kind: 'error', left: a, right: b };
}

function describe(answer: Answer): unknown {
  return answer.isRefused ? `${answer.error}: ${answer.reason}` : { total: answer.outcome.total };
}

function* compareOutcomes(
  left: SearchOutcome,
  right: SearchOutcome,
  options: CompareOptions,
): Generator<Mismatch, void> {
  if (left.total !== right.total) {
    yield {
      kind: 'total',
      left: [left.total, left.hits.map(({ id }) => id)],
      right: [right.total, right.hits.map(({ id }) => id)],
    };
    return;
  }
  if (left.hits.length !== right.hits.length) {
    yield { kind: 'hit count', left: left.hits.length, right: right.hits.length };
    return;
  }
  if (!sameNumber(left.maxScore, right.maxScore, SCORE_TOLERANCE)) {
    yield { kind: 'max_score', left: left.maxScore, right: right.maxScore };
  }
  yield* compareHits(left.hits, right.hits, {
    isCut: left.total > options.from + options.size || options.from > 0,
  });
  yield* compareValues(left.aggregations ?? {}, right.aggregations ?? {}, 'aggregations');
}

function* compareHits(
  left: readonly SearchHit[],
  right: readonly SearchHit[],
  { isCut }: { readonly isCut: boolean },
): Generator<Mismatch, void> {
  const isSame = left.every((hit, at) => {
    const other = right[at];
    return other !== undefined && sameKey(hit, other);
  });
  if (!isSame) {
    const kind = left[0]?.sort === undefined ? 'score order' : 'sort values';
    yield { kind, left: left.map(keyOf), right: right.map(keyOf) };
    return;
  }
  for (const [start, end] of classes(left)) {
    const [here, there] = [left.slice(start, end), right.slice(start, end)];
    const mayDiffer = isCut && (start === 0 || end === left.length);
    for (const hit of here) {
      const twin = there.find(({ id }) => id === hit.id);
      if (twin !== undefined) yield* compareTwins(hit, twin);
      else if (!mayDiffer) {
        yield { kind: 'hits', left: left.map(keyOf), right: right.map(keyOf) };
        return;
      }
    }
  }
}

function keyOf({ id, score, sort }: SearchHit): unknown {
  return sort === undefined ? [id, score] : [id, sort];
}

function sameKey(a: SearchHit, b: SearchHit): boolean {
  if (a.sort === undefined || b.sort === undefined)
    return a.sort === b.sort && sameNumber(a.score, b.score, SCORE_TOLERANCE);
  return (
    a.sort.length === b.sort.length &&
    a.sort.every((value, at) => sameSortValue(value, b.sort?.[at] ?? null))
  );
}

/** Scores may be sort values, so their tolerance holds for fractions; whole numbers and texts are exact. */
function sameSortValue(a: JsonValue, b: JsonValue): boolean {
  if (typeof a !== 'number' || typeof b !== 'number') return a === b;
  return Number.isInteger(a) && Number.isInteger(b) ? a === b : sameNumber(a, b, SCORE_TOLERANCE);
}

/** Runs of hits whose keys are equal within the tolerance. */
function classes(hits: readonly SearchHit[]): [start: number, end: number][] {
  const found: [number, number][] = [];
  for (const [at, hit] of hits.entries()) {
    const last = found.at(-1);
    const before = hits[at - 1];
    if (last !== undefined && before !== undefined && sameKey(before, hit)) last[1] = at + 1;
    else found.push([at, at + 1]);
  }
  return found;
}

function* compareTwins(a: SearchHit, b: SearchHit): Generator<Mismatch, void> {
  if (!sameNumber(a.score, b.score, SCORE_TOLERANCE))
    yield { kind: 'score', left: [a.id, a.score], right: [b.id, b.score] };
  if (a.version !== b.version)
    yield { kind: 'version', left: [a.id, a.version], right: [b.id, b.version] };
  yield* compareValues(a.source ?? null, b.source ?? null, `_source of ${a.id}`, 'source');
  yield* compareValues(a.highlight ?? {}, b.highlight ?? {}, `highlight of ${a.id}`, 'highlight');
  const [inner, other] = [sortedInner(a.innerHits), sortedInner(b.innerHits)];
  yield* compareValues(inner, other, `inner_hits of ${a.id}`, 'inner_hits');
}

/** Inner hits of equal key may stand in any order as well. */
function sortedInner(innerHits: JsonObject | undefined): JsonValue {
  if (innerHits === undefined) return {};
  return Object.fromEntries(
    Object.entries(innerHits).map(([name, value]): [string, JsonValue] => {
      const { hits, ...rest } = value as JsonObject;
      return [name, { ...rest, hits: sortTies(hits as readonly JsonObject[]) }];
    }),
  );
}

function sortTies(hits: readonly JsonObject[]): readonly JsonObject[] {
  const key = (hit: JsonObject): string =>
    JSON.stringify(hit['sort'] ?? toSignificant(hit['_score']));
  const place = (hit: JsonObject): string =>
    `${JSON.stringify(hit['_id'])} ${JSON.stringify(hit['_nested'] ?? 0)}`;
  const sorted = hits.map((hit, at) => ({ hit, at }));
  for (let start = 0; start < sorted.length;) {
    let end = start + 1;
    const first = sorted[start];
    while (
      end < sorted.length &&
      first !== undefined &&
      key(sorted[end]?.hit ?? {}) === key(first.hit)
    )
      end += 1;
    const tied = sorted.slice(start, end).sort((x, y) => (place(x.hit) < place(y.hit) ? -1 : 1));
    sorted.splice(start, tied.length, ...tied);
    start = end;
  }
  return sorted.map(({ hit }) => hit);
}

function toSignificant(value: JsonValue | undefined): string {
  return typeof value === 'number' ? value.toPrecision(5) : 'null';
}

/** Names of the collection differ between the sides that are compared. */
const IGNORED = new Set(['_index', '_type', '_shard', '_node', '_version']);

/** @param kind shown in place of the path, which may hold names of documents */
export function* compareValues(
  a: JsonValue,
  b: JsonValue,
  path: string,
  kind = path,
): Generator<Mismatch, void> {
  if (typeof a === 'number' && typeof b === 'number') {
    const tolerance =
      /_score$/.test(path) || /\.sort\.\d+$/.test(path) ? SCORE_TOLERANCE : NUMBER_TOLERANCE;
    if (!sameNumber(a, b, tolerance)) yield { kind, left: { [path]: a }, right: { [path]: b } };
    return;
  }
  if (
    typeof a !== 'object' ||
    typeof b !== 'object' ||
    a === null ||
    b === null ||
    Array.isArray(a) !== Array.isArray(b)
  ) {
    if (a !== b) yield { kind, left: { [path]: a }, right: { [path]: b } };
    return;
  }
  // The values of a field are shown, and ordered, as a whole.
  if (kind === 'highlight' && Array.isArray(a) && JSON.stringify(a) !== JSON.stringify(b)) {
    yield { kind, left: { [path]: a }, right: { [path]: b } };
    return;
  }
  const below = (key: string): string => (kind === path ? `${path}.${key}` : kind);
  if (Array.isArray(a) && Array.isArray(b) && isHitList(a) && isHitList(b)) {
    yield* compareHitLists(a, b, path, kind);
    return;
  }
  const [left, right] = [a as JsonObject, b as JsonObject];
  const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
  for (const key of keys) {
    if (IGNORED.has(key)) continue;
    const [x, y] = [left[key], right[key]];
    if (x === undefined || y === undefined) {
      yield { kind: below(key), left: { [path]: a }, right: { [path]: b } };
      // What stands behind a bucket that is not there is not the same bucket.
      if (Array.isArray(a)) return;
    } else yield* compareValues(x, y, `${path}.${key}`, below(key));
  }
}

function isHitList(list: readonly JsonValue[]): boolean {
  const [first] = list;
  return typeof first === 'object' && first !== null && '_id' in first && '_score' in first;
}

/** `hits` of `top_hits`: ties are free in their order, and in their choice at the end. */
function* compareHitLists(
  a: readonly JsonValue[],
  b: readonly JsonValue[],
  path: string,
  kind: string,
): Generator<Mismatch, void> {
  const [left, right] = [a, b].map((list) => (list as readonly JsonObject[]).map(toHit)) as [
    SearchHit[],
    SearchHit[],
  ];
  const mismatches: Iterable<Mismatch> =
    left.length === right.length
      ? compareHits(left, right, { isCut: true })
      : [{ kind: 'count', left: left.length, right: right.length }];
  for (const mismatch of mismatches) {
    yield {
      kind: `${kind}.${mismatch.kind}`,
      left: { [path]: mismatch.left },
      right: { [path]: mismatch.right },
    };
  }
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

/** Within a relative tolerance; near 0, of which float sums fall short, within 1e-12. */
export function sameNumber(a: number | null, b: number | null, tolerance: number): boolean {
  if (a === b) return true;
  if (a === null || b === null || !Number.isFinite(a) || !Number.isFinite(b)) return false;
  return Math.abs(a - b) <= Math.max(tolerance * Math.max(Math.abs(a), Math.abs(b)), 1e-12);
}
