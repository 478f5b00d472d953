/*
 * Answers of the server in the contract's shape: the engine's metadata out of every document, names of collections in
 * place of the server's, the version where the contract has it.
 */
import type {
  CollectionName,
  JsonObject,
  JsonValue,
  SearchHit,
  SearchOutcome,
} from '@millrace/kernel';
import {
  isByScoreAlone,
  type Aggregation,
  type NestedQuery,
  type SearchRequest,
} from '@millrace/query';
import { METADATA, VERSION_FIELD } from '../server/METADATA.js';

/** A hit as the server writes it. */
export interface ServerHit {
  readonly _id: string;
  readonly _score: number | null;
  readonly _source?: JsonObject;
  readonly _nested?: JsonObject;
  readonly fields?: { readonly [name: string]: readonly JsonValue[] };
  readonly sort?: readonly JsonValue[];
  readonly highlight?: JsonObject;
  readonly inner_hits?: { readonly [name: string]: { readonly hits: ServerHits } };
}

/** `hits` as the server writes them. */
export interface ServerHits {
  readonly total?: { readonly value: number };
  readonly max_score: number | null;
  readonly hits: readonly ServerHit[];
}

/** The answer to a search as the server writes it. */
export interface ServerSearchAnswer {
  readonly timed_out: boolean;
  readonly hits: ServerHits;
  readonly aggregations?: JsonObject;
  readonly pit_id?: string;
}

/** The document without the engine's part. */
export function withoutMetadata(source: JsonObject): JsonObject {
  const { [METADATA]: _, ...own } = source;
  return own;
}

/** The version that came beside a hit. */
export function versionOf({ fields }: Pick<ServerHit, 'fields'>): number {
  const version = fields?.[VERSION_FIELD]?.[0];
  return typeof version === 'number' ? version : 1;
}

/** The whole outcome of a search. */
export function toSearchOutcome(
  answer: ServerSearchAnswer,
  name: CollectionName,
  request: Pick<SearchRequest, 'aggregations'> &
    Partial<Pick<SearchRequest, 'sort' | 'query' | 'postFilter'>>,
): SearchOutcome {
  const { hits, timed_out: timedOut, aggregations } = answer;
  let names: ReadonlySet<string> | undefined;
  // Seldom asked for, and the same for all hits.
  const counted = (): ReadonlySet<string> =>
    (names ??= namesOfCounted([request.query, request.postFilter]));
  return {
    // Servers take `_score` alone for no sort; under one, each hit carries its sort values (section 7).
    hits: hits.hits
      .map((hit) => toHit(hit, counted))
      .map((hit) => (request.sort === undefined ? hit : { sort: [hit.score], ...hit })),
    total: hits.total?.value ?? 0,
    maxScore: hits.max_score,
    timedOut,
    ...(request.aggregations.length === 0 || aggregations === undefined
      ? {}
      : { aggregations: withOwnHits(aggregations, request.aggregations, name) }),
  };
}

function toHit(hit: ServerHit, counted: () => ReadonlySet<string>): SearchHit {
  const { _source: source, sort, highlight, inner_hits: innerHits } = hit;
  return {
    id: hit._id,
    score: hit._score,
    version: versionOf(hit),
    ...(source === undefined ? {} : { source: withoutMetadata(source) }),
    ...(sort === undefined ? {} : { sort }),
    ...(highlight === undefined ? {} : { highlight }),
    ...(innerHits === undefined ? {} : { innerHits: toInnerHits(innerHits, counted) }),
  };
}

/** `{<name>: {hits: [..], total, max_score}}` (query-language.md section 3). */
function toInnerHits(
  given: NonNullable<ServerHit['inner_hits']>,
  counted: () => ReadonlySet<string>,
): JsonObject {
  return Object.fromEntries(
    Object.entries(given).map(([name, { hits }]): [string, JsonObject] => [
      name,
      {
        hits: hits.hits.map((hit): JsonObject => {
          const { _nested: nested, _source: source, sort, highlight, inner_hits: deeper } = hit;
          return {
            _id: hit._id,
            ...(nested === undefined ? {} : { _nested: nested }),
            _score: hit._score,
            ...(source === undefined ? {} : { _source: source }),
            ...(sort === undefined ? {} : { sort }),
            ...(highlight === undefined ? {} : { highlight }),
            ...(deeper === undefined ? {} : { inner_hits: toInnerHits(deeper, counted) }),
          };
        }),
        total: totalOf(name, hits, counted),
        max_score: hits.max_score,
      },
    ]),
  );
}

/** Past the last one servers of version 8 count none, and those of 9 all: as 8 (query-language.md). */
function totalOf(
  name: string,
  { hits, total }: ServerHits,
  counted: () => ReadonlySet<string>,
): number {
  if (total === undefined || total.value === 0) return 0;
  return hits.length > 0 || counted().has(name) ? total.value : 0;
}

/** Names of inner hits that are counted wherever their page begins: of size 0, or sorted by more than the score. */
function namesOfCounted(part: unknown, names = new Set<string>()): ReadonlySet<string> {
  if (typeof part !== 'object' || part === null) return names;
  const { innerHits } = part as Partial<NestedQuery>;
  if (innerHits !== undefined) {
    const isRanked = innerHits.sort === undefined || isByScoreAlone(innerHits.sort);
    if (innerHits.size === 0 || !isRanked) names.add(innerHits.name);
  }
  for (const inner of Object.values(part)) namesOfCounted(inner, names);
  return names;
}

/** Results of aggregations with the hits of every `top_hits` among them, at any depth, in our terms. */
function withOwnHits(
  results: JsonObject,
  aggregations: readonly Aggregation[],
  name: CollectionName,
): JsonObject {
  if (!aggregations.some(hasTopHits)) return results;
  const rewritten = aggregations.filter(hasTopHits).map((aggregation): [string, JsonValue] => {
    const result = results[aggregation.name] as JsonObject;
    if (aggregation.kind === 'top_hits') {
      const hits = result['hits'] as unknown as ServerHits;
      const shown = hits.hits.map((hit) => toTopHit(hit, name, aggregation.version));
      return [
        aggregation.name,
        { ...result, hits: { ...(result['hits'] as JsonObject), hits: shown } },
      ];
    }
    return [aggregation.name, inBuckets(result, aggregation.aggregations, name)];
  });
  return { ...results, ...Object.fromEntries(rewritten) };
}

function hasTopHits(aggregation: Aggregation): boolean {
  return aggregation.kind === 'top_hits' || aggregation.aggregations.some(hasTopHits);
}

function inBuckets(
  result: JsonObject,
  children: readonly Aggregation[],
  name: CollectionName,
): JsonObject {
  const { buckets } = result;
  if (buckets === undefined) return withOwnHits(result, children, name);
  const inside = (bucket: JsonValue) => withOwnHits(bucket as JsonObject, children, name);
  return {
    ...result,
    buckets: Array.isArray(buckets)
      ? (buckets as readonly JsonValue[]).map(inside)
      : Object.fromEntries(
          Object.entries(buckets as JsonObject).map(([key, bucket]) => [key, inside(bucket)]),
        ),
  };
}

function toTopHit(hit: ServerHit, name: CollectionName, showsVersion: boolean): JsonObject {
  const { _nested: nested, _source: source, sort, highlight } = hit;
  return {
    _index: name.index,
    _type: name.collection,
    _id: hit._id,
    ...(nested === undefined ? {} : { _nested: nested }),
    ...(showsVersion ? { _version: versionOf(hit) } : {}),
    _score: hit._score,
    ...(source === undefined ? {} : { _source: withoutMetadata(source) }),
    ...(sort === undefined ? {} : { sort }),
    ...(highlight === undefined ? {} : { highlight }),
  };
}
