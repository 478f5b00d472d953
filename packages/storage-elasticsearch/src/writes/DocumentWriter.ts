/*
 * Applies the writes of one call. A call is split where a document occurs for the second time. Within a stretch
 * Elasticsearch receives the writes in their order, since a document may add fields that the next one is checked
 * against.
 *
 * Elasticsearch supports only conditions on its own sequence numbers. So a stretch reads the documents whose state is
 * unknown, decides each write by that state, sends all of them as bulk requests conditional on that state, and takes
 * the new state from the response. Documents changed by another node in between are read and sent again in another
 * round.
 *
 * The bulk requests of a round are bounded by size. The first is sent alone, so that the first documents that have a
 * new field decide its type, then several are sent concurrently.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  documentErrors,
  KeyedQueue,
  Queue,
  storageErrors,
  type DocumentCopy,
  type MillraceError,
  type WriteOperation,
  type WriteOutcome,
  type WriteStamp,
} from '@millrace/kernel';
import type { CollectionList } from '../catalog/CollectionList.js';
import type { ElasticsearchConfig } from '../ElasticsearchConfig.js';
import type { ElasticsearchNames } from '../names/ElasticsearchNames.js';
import type { ElasticsearchClient } from '../client/ElasticsearchClient.js';
import { ElasticsearchFailure, toElasticsearchFailure, toUnavailable } from '../client/ElasticsearchFailure.js';
import { copyDocuments } from './copyDocuments.js';
import { decideWrite } from './decideWrite.js';
import type { DocumentWrites, PendingWrite } from './PendingWrite.js';
import { readDocuments } from './readDocuments.js';
import { sendBulk, type BulkItem } from './sendBulk.js';
import type { SharedRefresh } from './SharedRefresh.js';

/** Dependencies of `DocumentWriter`. */
export interface DocumentWriterParts {
  readonly elasticsearch: ElasticsearchClient;
  readonly names: ElasticsearchNames;
  readonly collections: CollectionList;
  readonly refreshes: SharedRefresh;
  readonly config: Pick<ElasticsearchConfig, 'bulkMaxBytes' | 'bulkMaxOperations' | 'bulkConcurrency' | 'retryMs'>;
}

/** Retries of a document that other writers keep changing end after this time. */
const CONTENTION_MS = 10_000;
const PAUSE_MS = 50;

/** Applies writes for the engine. */
export class DocumentWriter {
  private readonly queue = new KeyedQueue();

  constructor(private readonly parts: DocumentWriterParts) {}

  /** See `StorageEngine.write`. */
  async write(
    operations: readonly WriteOperation[],
    refresh: boolean,
    stamp?: WriteStamp,
  ): Promise<readonly WriteOutcome[]> {
    const { documents, windows } = this.divide(operations);
    const run = new WriteRun(this.parts, operations.length, stamp);
    await this.queue.runAll([...documents.keys()], () => run.apply(windows));
    const outcomes = run.outcomes as readonly WriteOutcome[];
    const touched = new Set([...documents.values()].map(({ alias }) => alias));
    for (const alias of touched) this.parts.collections.touch(alias);
    const [first] = outcomes;
    const isOutage = ({ status, ...rest }: WriteOutcome) =>
      status === 'failed' && 'error' in rest && rest.error.id === storageErrors.unavailable.id;
    if (first?.status === 'failed' && outcomes.every(isOutage)) throw first.error;
    if (refresh && outcomes.some(({ status }) => status !== 'failed')) {
      await Promise.all([...touched].map((alias) => this.parts.refreshes.refresh(alias)));
    }
    return outcomes;
  }

  /** See `CopyableEngine.copy`. */
  copy(copies: readonly DocumentCopy[]): Promise<readonly WriteOutcome[]> {
    return copyDocuments(this.parts, copies);
  }

  /** Groups the writes by document, and splits the call into stretches in which no document occurs twice. */
  private divide(operations: readonly WriteOperation[]) {
    const documents = new Map<string, DocumentWrites>();
    const aliases = new Map<string, string>();
    const windows: DocumentWrites[][] = [];
    let window = new Set<DocumentWrites>();
    operations.forEach((operation, position) => {
      const { index, collection, id } = operation;
      const name = `${index}\n${collection}`;
      const alias = aliases.get(name) ?? this.parts.names.alias(operation);
      aliases.set(name, alias);
      const key = `${alias}\n${id}`;
      const document = documents.get(key) ?? {
        alias,
        id,
        pending: new Queue(),
        state: undefined,
        wasMissing: false,
      };
      documents.set(key, document);
      document.pending.push({ position, operation });
      if (window.has(document)) {
        windows.push([...window]);
        window = new Set();
      }
      window.add(document);
    });
    if (window.size > 0) windows.push([...window]);
    return { documents, windows };
  }
}

/** One call of `write`. */
class WriteRun {
  readonly outcomes: (WriteOutcome | undefined)[];
  private readonly startedAtMs = performance.now();
  private outage: MillraceError | undefined;
  private mustPause = false;

  constructor(
    private readonly parts: DocumentWriterParts,
    count: number,
    private readonly stamp: WriteStamp | undefined,
  ) {
    this.outcomes = Array.from({ length: count });
  }

  async apply(windows: readonly (readonly DocumentWrites[])[]): Promise<void> {
    for (const window of windows) await this.applyWindow(window);
  }

  /** Settles the first pending write of each document. */
  private async applyWindow(window: readonly DocumentWrites[]): Promise<void> {
    const writes = window.map((document) => ({ document, position: positionOf(document) }));
    let active = window;
    while (active.length > 0) {
      if (this.mustPause) await sleep(PAUSE_MS * (0.5 + Math.random()));
      this.mustPause = false;
      if (this.outage === undefined) await this.learnStates(active);
      await this.sendRound(active.flatMap((document) => this.nextItem(document)));
      active = writes.filter(({ position }) => this.outcomes[position] === undefined).map(({ document }) => document);
      if (this.outage === undefined) continue;
      for (const document of active) this.fail(document, this.outage);
      return;
    }
  }

  private async learnStates(documents: readonly DocumentWrites[]): Promise<void> {
    const unknown = documents.filter(
      ({ state, pending }) => state === undefined && pending.first?.operation.condition !== 'absent',
    );
    if (unknown.length === 0) return;
    let found: Awaited<ReturnType<typeof readDocuments>>;
    try {
      found = await readDocuments(this.parts.elasticsearch, unknown, false);
    } catch (error) {
      this.outage = toUnavailable(toElasticsearchFailure(error));
      return;
    }
    for (const [i, document] of unknown.entries()) {
      const state = found[i] ?? null;
      if (state instanceof ElasticsearchFailure) await this.afterFailure(document, state);
      else document.state = state;
    }
  }

  /** Settles a write that needs no request; otherwise returns the items to send. */
  private nextItem(document: DocumentWrites): readonly BulkItem[] {
    const { state, alias, pending } = document;
    const next = pending.first;
    if (next === undefined || this.outage !== undefined) return [];
    if (state === undefined && next.operation.condition !== 'absent') return [];
    const decision = decideWrite(next.operation, alias, state, this.stamp);
    if (decision.kind === 'send') return [{ ...decision, document }];
    this.settle(document, decision.outcome);
    return [];
  }

  private async sendRound(items: readonly BulkItem[]): Promise<void> {
    await sendBulk(this.parts.elasticsearch, this.parts.config, items, (item, result) => {
      if (result instanceof ElasticsearchFailure) return this.afterFailure(item.document, result);
      return this.afterSuccess(item, result);
    });
  }

  private afterSuccess(
    { document, version, meta }: BulkItem,
    answer: { readonly _seq_no: number; readonly _primary_term: number },
  ): void {
    const isDelete = document.pending.first?.operation.kind === 'delete';
    if (isDelete) {
      document.state = null;
      return this.settle(document, { status: 'deleted', version });
    }
    const status = document.state ? 'replaced' : 'created';
    const { _seq_no: sequenceNumber, _primary_term: primaryTerm } = answer;
    document.state = { version, meta, sequenceNumber, primaryTerm };
    this.settle(document, { status, version, meta });
  }

  /** Decides the result of a failure for the first pending write: an outcome, or another round. */
  private async afterFailure(document: DocumentWrites, failure: ElasticsearchFailure): Promise<void> {
    const first = document.pending.first as PendingWrite;
    const { index, collection, id, condition } = first.operation;
    const { state } = document;
    const elapsedMs = performance.now() - this.startedAtMs;
    document.state = undefined;
    if (failure.isMissingIndex) {
      // A truncate may just have replaced the Elasticsearch index.
      if (!document.wasMissing && (await this.isThere(first))) {
        document.wasMissing = true;
        return;
      }
      return this.fail(document, storageErrors.collection_not_found({ index, collection }));
    }
    if (failure.status === 409) {
      if (state === undefined && condition === 'absent') {
        return this.fail(document, documentErrors.already_exists({ index, collection, id }));
      }
      if (elapsedMs < CONTENTION_MS) return;
      const reason = `document "${id}" is being changed too often`;
      return this.fail(document, storageErrors.unavailable({ reason }));
    }
    if (failure.isPassing && failure.status !== 0 && elapsedMs < this.parts.config.retryMs) {
      this.mustPause = true;
      return;
    }
    if (failure.status === 0) this.outage = toUnavailable(failure);
    if (failure.isOutage) return this.fail(document, toUnavailable(failure));
    document.state = state;
    const reason = this.parts.names.conceal(failure.reason);
    return this.fail(document, documentErrors.invalid_value({ reason }, { cause: failure }));
  }

  private async isThere({ operation }: PendingWrite): Promise<boolean> {
    this.parts.collections.touch(this.parts.names.alias(operation));
    try {
      return (await this.parts.collections.find(operation)) !== undefined;
    } catch {
      return false;
    }
  }

  private settle(document: DocumentWrites, outcome: WriteOutcome): void {
    const first = document.pending.take();
    if (first !== undefined) this.outcomes[first.position] = outcome;
  }

  private fail(document: DocumentWrites, error: MillraceError): void {
    this.settle(document, { status: 'failed', error });
  }
}

function positionOf({ pending }: DocumentWrites): number {
  return pending.first?.position ?? 0;
}
