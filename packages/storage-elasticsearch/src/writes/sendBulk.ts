import type { DocumentMetadata } from '@millrace/kernel';
import type { ElasticsearchConfig } from '../ElasticsearchConfig.js';
import type { ElasticsearchClient } from '../client/ElasticsearchClient.js';
import {
  failureOf,
  toElasticsearchFailure,
  type ElasticsearchErrorBody,
  type ElasticsearchFailure,
} from '../client/ElasticsearchFailure.js';
import type { DocumentWrites } from './PendingWrite.js';

/** One write as lines of a bulk request. */
export interface BulkItem {
  readonly document: DocumentWrites;
  readonly lines: readonly string[];
  /** The version that the document has if the write succeeds; for a delete, the version it had. */
  readonly version: number;
  readonly meta: DocumentMetadata;
}

/** Elasticsearch's result of a write that succeeded. */
export interface BulkSuccess {
  readonly _seq_no: number;
  readonly _primary_term: number;
}

interface BulkAnswer {
  readonly items: readonly Readonly<
    Record<string, Partial<BulkSuccess> & { readonly status: number; readonly error?: ElasticsearchErrorBody }>
  >[];
}

/** Called once per item with its failure or its result. */
export type BulkListener = (item: BulkItem, result: ElasticsearchFailure | BulkSuccess) => void | Promise<void>;

type Bounds = Pick<ElasticsearchConfig, 'bulkMaxBytes' | 'bulkMaxOperations' | 'bulkConcurrency'>;

/** Sends the items as bulk requests within the size limits: the first one alone, then several concurrently. */
export async function sendBulk(
  elasticsearch: ElasticsearchClient,
  bounds: Bounds,
  items: readonly BulkItem[],
  listener: BulkListener,
): Promise<void> {
  const chunks = splitIntoChunks(items, bounds);
  const send = async (chunk: readonly BulkItem[]): Promise<void> => {
    let answer: BulkAnswer | ElasticsearchFailure;
    try {
      answer = await elasticsearch.ask<BulkAnswer>({
        method: 'POST',
        path: '/_bulk',
        query: { require_alias: true },
        body: chunk.flatMap(({ lines }) => lines),
        isSafe: false,
      });
    } catch (error) {
      answer = toElasticsearchFailure(error);
    }
    for (const [i, item] of chunk.entries()) {
      await listener(item, 'items' in answer ? toResult(answer.items[i]) : answer);
    }
  };
  const [first, ...others] = chunks;
  if (first !== undefined) await send(first);
  // The lanes share it.
  const rest = others.values();
  const lanes = Array.from({ length: bounds.bulkConcurrency }, async () => {
    for (const chunk of rest) await send(chunk);
  });
  await Promise.all(lanes);
}

function toResult(item: BulkAnswer['items'][number] | undefined): ElasticsearchFailure | BulkSuccess {
  const [result] = Object.values(item ?? {});
  if (result?.error !== undefined) return failureOf(result.status, result.error);
  const { _seq_no: sequenceNumber, _primary_term: primaryTerm } = result ?? {};
  // Deleting an absent document returns 404 without an error: another node deleted it first.
  const isDone = sequenceNumber !== undefined && primaryTerm !== undefined;
  if (!isDone || result?.status === 404) return failureOf(409, undefined);
  return { _seq_no: sequenceNumber, _primary_term: primaryTerm };
}

/**
 * Splits items into chunks of limited operations and bytes; an item that exceeds the limit alone gets its own chunk.
 */
export function splitIntoChunks(
  items: readonly BulkItem[],
  { bulkMaxBytes, bulkMaxOperations }: Omit<Bounds, 'bulkConcurrency'>,
): BulkItem[][] {
  const chunks: BulkItem[][] = [];
  let chunk: BulkItem[] = [];
  let chunkBytes = 0;
  for (const item of items) {
    const bytes = item.lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
    const isFull = chunk.length >= bulkMaxOperations || chunkBytes + bytes > bulkMaxBytes;
    if (chunk.length > 0 && isFull) {
      chunks.push(chunk);
      [chunk, chunkBytes] = [[], 0];
    }
    chunk.push(item);
    chunkBytes += bytes;
  }
  if (chunk.length > 0) chunks.push(chunk);
  return chunks;
}
