import { setTimeout as sleep } from 'node:timers/promises';
import { queryErrors, type DocumentMetadata, type JsonObject, type ReadOptions } from '@millrace/kernel';
import type { ElasticsearchClient } from '../client/ElasticsearchClient.js';
import { METADATA, METADATA_PROPERTIES, readMetadata, DOCUMENT_METADATA } from '../client/METADATA.js';
import { failureOf, type ElasticsearchErrorBody, type ElasticsearchFailure } from '../client/ElasticsearchFailure.js';

/** One document to read, in real time. */
export interface DocumentAddress {
  readonly alias: string;
  readonly id: string;
}

/** A document as Elasticsearch returns it. */
export interface FoundDocument {
  readonly sequenceNumber: number;
  readonly primaryTerm: number;
  readonly version: number;
  readonly meta: DocumentMetadata;
  /** Includes the metadata. */
  readonly source: JsonObject;
}

interface ElasticsearchDocument {
  readonly found?: boolean;
  readonly _seq_no?: number;
  readonly _primary_term?: number;
  readonly _source?: JsonObject;
  readonly error?: ElasticsearchErrorBody;
}

const METADATA_KEYS = Object.keys(METADATA_PROPERTIES).join();

const READ_AT_ONCE = 1_000;

/** Another node may have just created the collection: its shards are readable soon. */
const STARTING = new Set([
  'index_closed_exception',
  'illegal_index_shard_state_exception',
  'no_shard_available_action_exception',
]);
const STARTS_WITHIN_MS = 3_000;
const STARTING_WAIT_MS = 50;

/**
 * Reads documents in the order of their addresses: null for an absent one, a failure if the read failed (also for an
 * absent collection). Ids are sent in the body, because an id such as `..` can't be part of a path.
 * @param whole false: the metadata alone
 * @throws query.result_too_large
 */
export async function readDocuments(
  elasticsearch: ElasticsearchClient,
  addresses: readonly DocumentAddress[],
  whole: boolean,
  { maxBytes }: ReadOptions = {},
): Promise<readonly (FoundDocument | ElasticsearchFailure | null)[]> {
  const read: (FoundDocument | ElasticsearchFailure | null)[] = [];
  let bytes = 0;
  for (let first = 0; first < addresses.length; first += READ_AT_ONCE) {
    const some = addresses.slice(first, first + READ_AT_ONCE);
    const docs = some.map(({ alias, id }) => ({ _index: alias, _id: id }));
    const query: Readonly<Record<string, string>> = whole ? {} : { _source: METADATA_KEYS };
    for (const document of await readStarted(elasticsearch, docs, query, maxBytes)) {
      read.push(toFound(document));
      // One response is bounded by `maxBytes`; for several, the sizes of their documents are added up.
      if (maxBytes === undefined || addresses.length <= READ_AT_ONCE) continue;
      bytes += Buffer.byteLength(JSON.stringify(document._source ?? null));
      if (bytes > maxBytes) throw queryErrors.result_too_large({ maxBytes });
    }
  }
  return read;
}

async function readStarted(
  elasticsearch: ElasticsearchClient,
  docs: readonly object[],
  query: Readonly<Record<string, string>>,
  maxBytes: number | undefined,
): Promise<readonly ElasticsearchDocument[]> {
  const giveUpAtMs = performance.now() + STARTS_WITHIN_MS;
  for (;;) {
    const answer = await elasticsearch.ask<{ docs: readonly ElasticsearchDocument[] }>({
      method: 'POST',
      path: '/_mget',
      query,
      body: { docs },
      isSafe: true,
      maxBytes,
    });
    const isStarting = answer.docs.some(({ error }) => STARTING.has(error?.type ?? ''));
    if (!isStarting || performance.now() > giveUpAtMs) return answer.docs;
    await sleep(STARTING_WAIT_MS);
  }
}

function toFound(document: ElasticsearchDocument): FoundDocument | ElasticsearchFailure | null {
  const { error, found, _source: source } = document;
  if (error !== undefined) {
    const isMissing = error.type === 'index_not_found_exception';
    return failureOf(isMissing ? 404 : 503, error);
  }
  if (found !== true || source === undefined) return null;
  const metadata = source[METADATA] as JsonObject | undefined;
  return {
    sequenceNumber: document._seq_no ?? 0,
    primaryTerm: document._primary_term ?? 0,
    version: Number(metadata?.['v'] ?? 1),
    meta: readMetadata(source[DOCUMENT_METADATA]),
    source,
  };
}
