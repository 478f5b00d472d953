import { hash } from 'node:crypto';
import {
  canonicalJson,
  didYouMean,
  isJsonObject,
  queryErrors,
  type CollectionName,
  type JsonObject,
} from '@millrace/kernel';
import {
  describeExcess,
  parseQuery,
  QueryError,
  whyChanging,
  whyUndecidable,
  type BoundRoot,
  type Query,
} from '@millrace/query';

/** What decides whether a document is in a room: a filter, or a query of the search language. */
export type RoomTest =
  { readonly kind: 'filter'; readonly filter: JsonObject } | { readonly kind: 'query'; readonly query: Query };

const ROOM_ID_BYTES = 16;
/** Parts of a query that don't change what it matches. */
const IMMATERIAL: ReadonlySet<string> = new Set(['path', 'name', 'boost', 'innerHits']);

/** Whether the JSON of a subscription is a query: the filter language has no such operator. */
export function isQueryTest(given: JsonObject): boolean {
  return 'query' in given && Object.keys(given).length === 1;
}

/**
 * Reads the JSON of a subscription: a filter, or `{query: Q}`.
 * @param maxBytes of the JSON of a query
 * @throws query.invalid, query.forbidden (400)
 */
export function readRoomTest(given: JsonObject, maxBytes: number): RoomTest {
  if (!isQueryTest(given)) return { kind: 'filter', filter: given };
  const { length } = JSON.stringify(given);
  if (length > maxBytes) {
    throw queryErrors.invalid({ reason: `query: expected at most ${maxBytes} bytes of JSON` });
  }
  const { query = null } = given;
  const isEmpty = isJsonObject(query) && Object.keys(query).length === 0;
  const parsed = refusing(() => parseQuery(isEmpty ? { match_all: {} } : query));
  return { kind: 'query', query: parsed };
}

/** The id of the room of a query (LIVE-5): the same on every node, after a restart and under every mapping. */
export function queryRoomId({ index, collection }: CollectionName, query: Query): string {
  const material: unknown = JSON.parse(
    JSON.stringify(query, (key, value: unknown) => (IMMATERIAL.has(key) ? undefined : value)),
  );
  const text = canonicalJson({ collection, index, query: material });
  return hash('sha256', text, 'buffer').toString('hex', 0, ROOM_ID_BYTES);
}

/** @throws query.invalid (400) if a query can't be decided on each document by itself, or not in a short time */
export function assertDecidable({ query, excess }: BoundRoot): void {
  const reason = whyUndecidable(query) ?? whyChanging(query);
  if (reason !== null) throw queryErrors.invalid({ reason });
  if (excess === undefined) return;
  throw queryErrors.invalid({ reason: describeExcess(excess, 'takes too long for each document') });
}

/** Converts refusals of the query library. @throws query.invalid, query.forbidden (400) */
export function refusing<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    const { unknown } = error;
    const hint = unknown === undefined ? '' : didYouMean(unknown.name, unknown.known);
    throw queryErrors[error.kind]({ reason: error.message + hint }, { cause: error });
  }
}
