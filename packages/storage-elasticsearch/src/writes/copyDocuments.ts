import { setTimeout as sleep } from 'node:timers/promises';
import {
  documentErrors,
  NO_DOCUMENT_METADATA,
  Queue,
  storageErrors,
  toCollectionKey,
  type DocumentCopy,
  type WriteOutcome,
} from '@millrace/kernel';
import { ElasticsearchFailure, toUnavailable } from '../client/ElasticsearchFailure.js';
import { toSourceLine } from './decideWrite.js';
import type { DocumentWriterParts } from './DocumentWriter.js';
import type { PendingWrite } from './PendingWrite.js';
import { sendBulk, type BulkItem } from './sendBulk.js';

const PAUSE_MS = 200;

/**
 * Stores documents with the versions and metadata that they have in another engine, whatever is stored under their ids.
 * Repeats what an Elasticsearch that is busy or restarts doesn't accept.
 */
export async function copyDocuments(
  { elasticsearch, names, collections, config }: DocumentWriterParts,
  copies: readonly DocumentCopy[],
): Promise<readonly WriteOutcome[]> {
  const outcomes = new Map<BulkItem, WriteOutcome>();
  const items = copies.map((copy) => toItem(copy, names.alias(copy)));
  const places = new Map(items.map((item, place) => [item, copies[place] as DocumentCopy]));
  const giveUpAtMs = performance.now() + config.retryMs;
  for (let left = items; left.length > 0;) {
    const again: BulkItem[] = [];
    await sendBulk(elasticsearch, config, left, (item, result) => {
      const isFailed = result instanceof ElasticsearchFailure;
      if (isFailed && result.isPassing && performance.now() < giveUpAtMs) again.push(item);
      else outcomes.set(item, toOutcome(item, places.get(item) as DocumentCopy, result));
    });
    left = again;
    if (left.length > 0) await sleep(PAUSE_MS);
  }
  const touched = new Map(copies.map((copy) => [toCollectionKey(copy), copy]));
  for (const name of touched.values()) collections.touch(names.alias(name));
  const results = items.map((item) => outcomes.get(item) as WriteOutcome);
  const [first] = results;
  const isUnavailable = (outcome: WriteOutcome) =>
    outcome.status === 'failed' && outcome.error.id === storageErrors.unavailable.id;
  if (first?.status === 'failed' && results.every(isUnavailable)) throw first.error;
  return results;
}

function toItem({ id, document }: DocumentCopy, alias: string): BulkItem {
  const target = { _index: alias, _id: id };
  const writes = {
    alias,
    id,
    pending: new Queue<PendingWrite>(),
    state: undefined,
    wasMissing: false,
  };
  if (document === null) {
    const lines = [JSON.stringify({ delete: target })];
    return { document: writes, lines, version: 0, meta: NO_DOCUMENT_METADATA };
  }
  const { version, meta } = document;
  const lines = [JSON.stringify({ index: target }), toSourceLine(document)];
  return { document: writes, lines, version, meta };
}

function toOutcome(
  { version, meta }: BulkItem,
  { index, collection, id, document }: DocumentCopy,
  result: ElasticsearchFailure | object,
): WriteOutcome {
  if (!(result instanceof ElasticsearchFailure)) {
    return document === null ? { status: 'deleted', version } : { status: 'replaced', version, meta };
  }
  return { status: 'failed', error: errorOf(result) };

  function errorOf(failure: ElasticsearchFailure) {
    if (failure.isMissingIndex) return storageErrors.collection_not_found({ index, collection });
    if (failure.isOutage) return toUnavailable(failure);
    if (document === null) return documentErrors.not_found({ index, collection, id });
    const reason = `document ${JSON.stringify(id)} of ${index}/${collection}: ${failure.reason}`;
    return documentErrors.invalid_value({ reason }, { cause: failure });
  }
}
