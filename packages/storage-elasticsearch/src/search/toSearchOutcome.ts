/*
 * Answers of the server in the contract's shape: the engine's metadata out of every document, names of collections in
 * place of the server's, the version where the contract has it.
 */
import type { CollectionName, JsonObject, SearchHit, SearchOutcome } from '@millrace/kernel';
import { isByScoreAlone, type NestedQuery, type SearchRequest } from '@millrace/query';
import { scoreOf, metadataOf, versionOf, type ServerHit, type ServerHits } from './ServerHit.js';
import { sourceReader } from './sourceReader.js';
import { toAggregationResults } from './toAggregationResults.js';

/** The answer to a search as the server writes it. */
export interface ServerSearchAnswer {
  readonly timed_out: boolean;
  readonly hits: ServerHits;
  readonly aggregations?: JsonObject;
  readonly pit_id?: string;
}

/** The whole outcome of a search. */
export function toSearchOutcome(
  answer: ServerSearchAnswer,
  name: CollectionName,
  request: Pick<SearchRequest, 'aggregations' | 'source'> &
    Partial<Pick<SearchRequest, 'sort' | 'query' | 'postFilter'>>,
): SearchOutcome {
  const { hits, timed_out: timedOut, aggregations } = answer;
  let names: ReadonlySet<string> | undefined;
  // Seldom asked for, and the same for all hits.
  const counted = (): ReadonlySet<string> =>
    (names ??= namesOfCounted([request.query, request.postFilter]));
  const read = sourceReader(request.source);
  return {
    // Servers take `_score` alone for no sort; under one, each hit carries its sort values (section 7).
    hits: hits.hits
      .map((hit) => toHit(hit, read, counted))
      .map((hit) => (request.sort === undefined ? hit : { sort: [hit.score], ...hit })),
    total: hits.total?.value ?? 0,
    maxScore: scoreOf(hits.max_score ?? infiniteScore(hits, request.sort)),
    timedOut,
    ...(request.aggregations.length === 0 || aggregations === undefined
      ? {}
      : { aggregations: toAggregationResults(aggregations, request.aggregations, name) }),
  };
}

/** Servers leave out an infinite `max_score`. */
function infiniteScore({ hits }: ServerHits, sort: unknown): string | null {
  const score = sort === undefined ? hits[0]?._score : null;
  return typeof score === 'string' ? score : null;
}

function toHit(
  hit: ServerHit,
  read: (source: JsonObject) => JsonObject,
  counted: () => ReadonlySet<string>,
): SearchHit {
  const { _source: source, sort, highlight, inner_hits: innerHits } = hit;
  return {
    id: hit._id,
    score: scoreOf(hit._score),
    version: versionOf(hit),
    meta: metadataOf(hit),
    ...(source === undefined ? {} : { source: read(source) }),
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
            _score: scoreOf(hit._score),
            ...(source === undefined ? {} : { _source: source }),
            ...(sort === undefined ? {} : { sort }),
            ...(highlight === undefined ? {} : { highlight }),
            ...(deeper === undefined ? {} : { inner_hits: toInnerHits(deeper, counted) }),
          };
        }),
        total: totalOf(name, hits, counted),
        max_score: scoreOf(hits.max_score),
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
