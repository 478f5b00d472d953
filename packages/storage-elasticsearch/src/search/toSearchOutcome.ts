/*
 * Converts Elasticsearch's responses to the shape of the contract: documents without the engine's metadata, names of
 * collections in place of physical names, versions.
 */
import {
  EventLoopPacer,
  type CollectionName,
  type JsonObject,
  type SearchHit,
  type SearchOptions,
  type SearchOutcome,
} from '@millrace/kernel';
import type { BoundSearch, FieldSet, NestedQuery, SearchRequest } from '@millrace/query';
import { fieldsOfHit } from '../query/namedGrants.js';
import { withoutFilters } from '../query/visibleAggregations.js';
import {
  scoreOf,
  shownSource,
  metadataOf,
  versionOf,
  type ElasticsearchHit,
  type ElasticsearchHits,
} from './ElasticsearchHit.js';
import { sourceReader } from './sourceReader.js';
import { toAggregationResults } from './toAggregationResults.js';

/** A search response as Elasticsearch returns it. */
export interface ElasticsearchSearchAnswer {
  readonly timed_out: boolean;
  readonly hits: ElasticsearchHits;
  readonly aggregations?: JsonObject;
  readonly pit_id?: string;
}

/** Converts a search response. Many hits and buckets are converted in several turns of the event loop. */
export async function toSearchOutcome(
  answer: ElasticsearchSearchAnswer,
  name: CollectionName,
  request: Pick<SearchRequest, 'aggregations' | 'source'> &
    Partial<Pick<SearchRequest, 'sort' | 'query' | 'postFilter'>> &
    Partial<Pick<BoundSearch, 'within' | 'shown'>>,
  { prefersText = false }: Pick<SearchOptions, 'prefersText'> = {},
): Promise<SearchOutcome> {
  const { hits, timed_out: timedOut } = answer;
  const { shown } = request;
  const aggregations =
    request.within === undefined ? answer.aggregations : withoutFilters(answer.aggregations, request.aggregations);
  const hasInnerHits = hits.hits.some(({ inner_hits: innerHits }) => innerHits !== undefined);
  const pages = hasInnerHits ? innerPagesOf([request.query, request.postFilter]) : new Map();
  const read = sourceReader(request.source);
  const converted: SearchHit[] = [];
  const pacer = new EventLoopPacer(1);
  for (const each of hits.hits) {
    const fields = shown ? fieldsOfHit(shown, each.matched_queries) : null;
    const hit = toHit(each, { read, pages, fields, prefersText });
    // For a sort by `_score` alone Elasticsearch omits the sort values, which SEARCH-11 requires on each hit.
    converted.push(request.sort === undefined ? hit : { sort: [hit.score], ...hit });
    if (pacer.isDue()) await pacer.rest();
  }
  const given = request.aggregations.length === 0 ? undefined : aggregations;
  return {
    hits: converted,
    total: hits.total?.value ?? 0,
    maxScore: scoreOf(hits.max_score ?? infiniteScore(hits, request.sort)),
    timedOut,
    ...(given === undefined
      ? {}
      : {
          aggregations: await inTurns(
            toAggregationResults(given, request.aggregations, {
              name,
              fields: shown?.common ?? null,
            }),
          ),
        }),
  };
}

/** Runs a conversion, in several turns of the event loop if it takes long. */
async function inTurns<T>(steps: Generator<undefined, T, undefined>): Promise<T> {
  const pacer = new EventLoopPacer(1);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (pacer.isDue()) await pacer.rest();
  }
}

/** Elasticsearch omits an infinite `max_score`. */
function infiniteScore({ hits }: ElasticsearchHits, sort: unknown): string | null {
  const score = sort === undefined ? hits[0]?._score : null;
  return typeof score === 'string' ? score : null;
}

interface HitReading {
  readonly read: ReturnType<typeof sourceReader>;
  readonly pages: InnerPages;
  /** That the hit shows; null: all. */
  readonly fields: FieldSet | null;
  /** See `SearchOptions`: the sources of many hits, written in one turn, would block the event loop. */
  readonly prefersText: boolean;
}

function toHit(hit: ElasticsearchHit, reading: HitReading): SearchHit {
  const { read, pages, fields, prefersText } = reading;
  const { _source: source, sort, highlight, inner_hits: innerHits } = hit;
  return {
    id: hit._id,
    score: scoreOf(hit._score),
    version: versionOf(hit),
    meta: metadataOf(hit),
    ...(source === undefined ? {} : sourceOf(read(source, fields), prefersText)),
    ...(sort === undefined ? {} : { sort }),
    ...(highlight === undefined ? {} : { highlight }),
    ...(innerHits === undefined ? {} : { innerHits: toInnerHits(innerHits, pages, fields) }),
  };
}

function sourceOf(source: JsonObject, prefersText: boolean): Pick<SearchHit, 'source' | 'sourceText'> {
  return prefersText ? { sourceText: JSON.stringify(source) } : { source };
}

/** A requested page of inner hits. */
interface InnerPage {
  readonly from: number;
  readonly deeper: InnerPages;
}

/** By name. */
type InnerPages = ReadonlyMap<string, InnerPage>;

function innerPagesOf(part: unknown, pages: Map<string, InnerPage> = new Map()): InnerPages {
  if (typeof part !== 'object' || part === null) return pages;
  const { kind, innerHits, query } = part as Partial<NestedQuery>;
  if (kind !== 'nested') for (const inner of Object.values(part)) innerPagesOf(inner, pages);
  else if (innerHits !== undefined) {
    pages.set(innerHits.name, { from: innerHits.from, deeper: innerPagesOf(query) });
  }
  return pages;
}

/** `{<name>: {hits: [..], total, max_score}}`, without the hits before the page. */
function toInnerHits(
  given: NonNullable<ElasticsearchHit['inner_hits']>,
  pages: InnerPages,
  fields: FieldSet | null,
): JsonObject {
  return Object.fromEntries(
    Object.entries(given).map(([name, { hits }]): [string, JsonObject] => {
      const { from, deeper: deeperPages } = pages.get(name) ?? { from: 0, deeper: new Map() };
      const toInnerHit = (hit: ElasticsearchHit): JsonObject => {
        const { _nested: nested, _source: source, sort, highlight, inner_hits: deeper } = hit;
        return {
          _id: hit._id,
          ...(nested === undefined ? {} : { _nested: nested }),
          _score: scoreOf(hit._score),
          ...(source === undefined ? {} : { _source: shownSource(source, fields, nested) }),
          ...(sort === undefined ? {} : { sort }),
          ...(highlight === undefined ? {} : { highlight }),
          ...(deeper === undefined ? {} : { inner_hits: toInnerHits(deeper, deeperPages, fields) }),
        };
      };
      return [
        name,
        {
          hits: hits.hits.slice(from).map(toInnerHit),
          total: hits.total?.value ?? 0,
          max_score: scoreOf(hits.max_score),
        },
      ];
    }),
  );
}
