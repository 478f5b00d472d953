/*
 * The third side: the request as the user wrote it, straight to the server. Only what the service promises beyond the
 * server is written out: legacy `filter`, `geo_polygon`, the score of shapes (section 10), geo queries on fields that are not
 * mapped, sorting by `_id`, exact totals, `sort` of hits in the order of their scores alone, and that
 * buckets below `min_doc_count` take no place of others.
 */
import {
  NO_DOCUMENT_METADATA,
  type JsonObject,
  type JsonValue,
  type SearchHit,
} from '@millrace/kernel';
import { MAX_BUCKETS } from '@millrace/query';
import type { Answer, RequestBody } from './Answer.js';

const METADATA = '_millrace';

/** @param url of the server's index */
export async function rawSearch(url: string, body: RequestBody): Promise<Answer> {
  const send = () =>
    fetch(`${url}/_search`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(toServerBody(body)),
    });
  // A connection that the server has just closed is found out by using it.
  const response = await send()
    .catch(send)
    .catch(() => undefined);
  // It does so again and again where it cannot write what it has found.
  if (response === undefined)
    return { isRefused: true, error: '', reason: 'The server closes the connection' };
  const answer = (await response.json()) as JsonObject;
  if (!response.ok)
    return { isRefused: true, error: String(response.status), reason: reasonOf(answer) };
  const { total, max_score: maxScore, hits } = answer['hits'] as JsonObject;
  return {
    isRefused: false,
    outcome: {
      hits: (hits as readonly JsonObject[]).map((hit) => toHit(hit, body['sort'] !== undefined)),
      total: Number((total as JsonObject)['value']),
      maxScore: maxScore as number | null,
      timedOut: answer['timed_out'] === true,
      ...(answer['aggregations'] === undefined
        ? {}
        : { aggregations: withoutMetadata(answer['aggregations']) as JsonObject }),
    },
  };
}

function reasonOf(answer: JsonObject): string {
  const error = answer['error'] as JsonObject | string | undefined;
  if (typeof error !== 'object') return String(error);
  const [root] = (error['root_cause'] ?? []) as readonly JsonObject[];
  const cause = error['caused_by'] as JsonObject | undefined;
  const reasons = [root?.['reason'] ?? error['reason'], cause?.['reason'] ?? ''] as string[];
  return reasons.join(' / ');
}

function toServerBody(body: RequestBody): JsonObject {
  const { query, filter, sort, track_total_hits: _, ...rest } = body;
  const main: JsonObject =
    filter === undefined
      ? query === undefined
        ? {}
        : { query }
      : {
          query:
            query === undefined
              ? { constant_score: { filter } }
              : { bool: { must: [query], filter: [filter] } },
        };
  return rewritten({
    ...main,
    ...rest,
    ...(sort === undefined ? {} : { sort }),
    track_total_hits: true,
    version: true,
    docvalue_fields: [`${METADATA}.v`],
  }) as JsonObject;
}

function rewritten(value: JsonValue): JsonValue {
  if (Array.isArray(value))
    return (value as readonly JsonValue[]).map((item) =>
      item === '_id' ? `${METADATA}.id` : rewritten(item),
    );
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]): [string, JsonValue] => {
      if (key === '_id' && typeof inner === 'string' && /^(asc|desc)$/.test(inner))
        return [`${METADATA}.id`, inner];
      if (key === 'terms' && hasMinimum(inner))
        return [key, { ...(rewritten(inner) as JsonObject), shard_size: MAX_BUCKETS }];
      if (key === '_term') return ['_key', rewritten(inner)];
      if (key === 'geo_polygon' || key === 'geo_shape') {
        const shape = key === 'geo_shape' ? inner : polygonAsShape(inner);
        const { boost } = inner as JsonObject;
        const filter = { geo_shape: orUnmapped(shape) };
        return ['constant_score', { filter, ...(boost === undefined ? {} : { boost }) }];
      }
      if (/^geo_(distance|bounding_box)$/.test(key)) return [key, orUnmapped(inner)];
      return [key, rewritten(inner)];
    }),
  );
}

/** The server leaves buckets below the minimum out only of those that it has chosen by their order. */
function hasMinimum(terms: JsonValue): boolean {
  return Number((terms as JsonObject | null)?.['min_doc_count'] ?? 1) > 1;
}

function orUnmapped(query: JsonValue): JsonValue {
  const isObject = typeof query === 'object' && query !== null && !Array.isArray(query);
  return isObject ? { ignore_unmapped: true, ...(query as JsonObject) } : query;
}

function polygonAsShape(value: JsonValue): JsonValue {
  const [entry] = Object.entries(value as JsonObject);
  if (entry === undefined) return value;
  const [field, definition] = entry;
  const points = ((definition as JsonObject)['points'] ?? []) as readonly JsonValue[];
  const ring = points.map((point) => {
    if (typeof point === 'string') return point.split(',').map(Number).reverse();
    if (Array.isArray(point)) return point as readonly JsonValue[];
    return [(point as JsonObject)['lon'] ?? 0, (point as JsonObject)['lat'] ?? 0];
  });
  return { [field]: { shape: { type: 'polygon', coordinates: [[...ring, ring[0] ?? []]] } } };
}

/** @param isSorted a hit without `sort` is then one of a list sorted by `_score` alone */
function toHit(hit: JsonObject, isSorted: boolean): SearchHit {
  const {
    _id: id,
    _score: score,
    _source: source,
    sort,
    highlight,
    inner_hits: inner,
    fields,
  } = hit;
  const [version] = ((fields as JsonObject | undefined)?.[`${METADATA}.v`] ?? [
    1,
  ]) as readonly number[];
  return {
    id: id as string,
    score: score as number | null,
    version: version ?? 1,
    meta: NO_DOCUMENT_METADATA,
    ...(source === undefined ? {} : { source: withoutMetadata(source) as JsonObject }),
    ...(sort === undefined && !isSorted ? {} : { sort: (sort ?? [score]) as readonly JsonValue[] }),
    ...(highlight === undefined ? {} : { highlight: withoutMetadata(highlight) as JsonObject }),
    ...(inner === undefined ? {} : { innerHits: toInnerHits(inner as JsonObject) }),
  };
}

function toInnerHits(given: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]): [string, JsonObject] => {
      const { hits, total, max_score: maxScore } = (value as JsonObject)['hits'] as JsonObject;
      const shown = (hits as readonly JsonObject[]).map(
        ({ _index: _, inner_hits: deeper, ...hit }): JsonObject => ({
          ...hit,
          ...(deeper === undefined ? {} : { inner_hits: toInnerHits(deeper as JsonObject) }),
        }),
      );
      return [
        name,
        { hits: shown, total: (total as JsonObject)['value'] ?? 0, max_score: maxScore ?? null },
      ];
    }),
  );
}

function withoutMetadata(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(withoutMetadata);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !/^_millrace(\.|$)/.test(key));
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutMetadata(inner)]));
}
