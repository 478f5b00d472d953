/*
 * Converts aggregation results to our terms, at any depth: the hits of `top_hits`, and the dates of `composite`, which
 * Elasticsearch returns in milliseconds. With a date format it closes the connection if it can't format a date.
 */
import type { CollectionName, JsonObject } from '@millrace/kernel';
import {
  dateKeyWriter,
  isOneBucket,
  type Aggregation,
  type CompositeAggregation,
  type CompositeSource,
  type FieldSet,
  type TopHitsAggregation,
} from '@millrace/query';
import {
  scoreOf,
  shownSource,
  versionOf,
  withoutMetadata,
  type ElasticsearchHit,
  type ElasticsearchHits,
} from './ElasticsearchHit.js';
import { sourceReader } from './sourceReader.js';

/** What the documents of `top_hits` show. */
export interface ShownDocuments {
  readonly name: CollectionName;
  /** Null: all. */
  readonly fields: FieldSet | null;
}

/** A conversion that may pause after each bucket. */
type Conversion<T> = Generator<undefined, T, undefined>;

/** @throws QueryError for a date that the format of its `composite` source can't parse back */
export function* toAggregationResults(
  results: JsonObject,
  aggregations: readonly Aggregation[],
  shown: ShownDocuments,
): Conversion<JsonObject> {
  const rewritten: [string, JsonObject][] = [];
  for (const aggregation of aggregations) {
    if (!isRewritten(aggregation)) continue;
    const { name } = aggregation;
    rewritten.push([name, yield* toResult(results[name] as JsonObject, aggregation, shown)]);
  }
  return rewritten.length === 0 ? results : { ...results, ...Object.fromEntries(rewritten) };
}

/** Whether its keys are formatted dates. */
function isWrittenDate(source: CompositeSource): boolean {
  return source.kind === 'date_histogram' && source.format !== undefined;
}

/** Whether its result needs conversion. */
function isRewritten(aggregation: Aggregation): boolean {
  return (
    aggregation.kind === 'top_hits' ||
    (aggregation.kind === 'composite' && aggregation.sources.some(isWrittenDate)) ||
    aggregation.aggregations.some(isRewritten)
  );
}

function* toResult(result: JsonObject, aggregation: Aggregation, shown: ShownDocuments): Conversion<JsonObject> {
  if (aggregation.kind === 'top_hits') {
    const hits = result['hits'] as unknown as ElasticsearchHits;
    const toShown = topHitWriter(aggregation, shown);
    const own = { max_score: scoreOf(hits.max_score), hits: hits.hits.map(toShown) };
    return { ...result, hits: { ...(result['hits'] as JsonObject), ...own } };
  }
  const inside = yield* inBuckets(result, aggregation, shown);
  return aggregation.kind === 'composite' ? yield* withDates(inside, aggregation) : inside;
}

function* inBuckets(result: JsonObject, aggregation: Aggregation, shown: ShownDocuments): Conversion<JsonObject> {
  const { aggregations: children } = aggregation;
  if (isOneBucket(aggregation)) return yield* toAggregationResults(result, children, shown);
  if (!children.some(isRewritten)) return result;
  const buckets = result['buckets'] as JsonObject | readonly JsonObject[];
  const converted: [string, JsonObject][] = [];
  for (const [key, bucket] of Object.entries(buckets)) {
    converted.push([key, yield* toAggregationResults(bucket as JsonObject, children, shown)]);
    yield;
  }
  const isList = Array.isArray(buckets);
  return {
    ...result,
    buckets: isList ? converted.map(([, bucket]) => bucket) : Object.fromEntries(converted),
  };
}

type KeyWriters = ReadonlyMap<string, (ms: number) => string>;

/** Key writers by source name. */
function keyWriters({ sources }: CompositeAggregation): KeyWriters {
  const writers = new Map<string, (ms: number) => string>();
  for (const source of sources) {
    const write = source.kind === 'date_histogram' ? dateKeyWriter(source) : undefined;
    if (write !== undefined) writers.set(source.name, write);
  }
  return writers;
}

function* withDates(result: JsonObject, aggregation: CompositeAggregation): Conversion<JsonObject> {
  const writers = keyWriters(aggregation);
  const { after_key: afterKey, buckets } = result;
  const shown: JsonObject[] = [];
  for (const bucket of buckets as readonly JsonObject[]) {
    shown.push({ ...bucket, key: toKey(bucket['key'] as JsonObject, writers) });
    yield;
  }
  const last = afterKey === undefined ? {} : { after_key: toKey(afterKey as JsonObject, writers) };
  return { ...result, ...last, buckets: shown };
}

function toKey(key: JsonObject, writers: KeyWriters): JsonObject {
  return Object.fromEntries(
    Object.entries(key).map(([name, value]) => {
      const write = writers.get(name);
      return [name, write !== undefined && typeof value === 'number' ? write(value) : value];
    }),
  );
}

function topHitWriter(
  { source: filter, version: showsVersion }: TopHitsAggregation,
  { name, fields }: ShownDocuments,
): (hit: ElasticsearchHit) => JsonObject {
  const read = sourceReader(filter);
  return (hit) => {
    const { _nested: nested, _source: source, sort, highlight } = hit;
    const shown =
      source && (nested === undefined ? read(source, fields) : shownSource(withoutMetadata(source), fields, nested));
    return {
      _index: name.index,
      _type: name.collection,
      _id: hit._id,
      ...(nested === undefined ? {} : { _nested: nested }),
      ...(showsVersion ? { _version: versionOf(hit) } : {}),
      _score: scoreOf(hit._score),
      ...(shown === undefined ? {} : { _source: shown }),
      ...(sort === undefined ? {} : { sort }),
      ...(highlight === undefined ? {} : { highlight }),
    };
  };
}
