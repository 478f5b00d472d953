import {
  KeyedQueue,
  storageErrors,
  toDocumentKey,
  type ChangeOrigin,
  type CollectionName,
  type CopyableEngine,
  type DocumentCopy,
  type IndexSettings,
  type Logger,
  type WriteOperation,
  type WriteOutcome,
  type WriteStamp,
} from '@millrace/kernel';
import type { Mapping } from '@millrace/query';
import type { SqliteEngine } from '@millrace/storage-sqlite';
import { copyKeys, reconcile } from './reconcile.js';
import { UnansweredWrites } from './UnansweredWrites.js';
import type { WriteGate } from './WriteGate.js';
import type { DocumentKey, WriteIntents } from './WriteIntents.js';
import type { WritingEngine } from './WritingEngine.js';

/** The dependencies of `MirroredWrites`. */
export interface MirroredWritesParts {
  /** Decides about each write. */
  readonly elasticsearch: CopyableEngine;
  /** Has what Elasticsearch has, and records it in its change log. */
  readonly embedded: SqliteEngine;
  readonly intents: WriteIntents;
  readonly isOwn: (name: CollectionName) => boolean;
  readonly gate: WriteGate;
  /** The engine for writes that were held back. */
  readonly current: WritingEngine;
  readonly log: Logger;
}

/**
 * Writes to Elasticsearch, and stores the results in the embedded engine before it answers: so the change log
 * continues, and the embedded engine can take over at any moment. An intent is stored before each write; if the process
 * dies between the two, the next start resolves it.
 */
export class MirroredWrites implements WritingEngine {
  private readonly queue = new KeyedQueue();
  private readonly unanswered: UnansweredWrites;
  /** A change of the catalog that was not answered. Writes wait until its outcome is known. */
  private uncertain: { readonly intent: string; readonly names: readonly CollectionName[] } | undefined;
  private settling: Promise<void> | undefined;
  private isEnded = false;

  constructor(private readonly parts: MirroredWritesParts) {
    const { elasticsearch, embedded, intents, log } = parts;
    this.unanswered = new UnansweredWrites({
      intents,
      copy: (documents) => this.inTurn(documents, () => copyKeys(elasticsearch, embedded, documents)),
      log,
    });
  }

  /** Brings the embedded engine up to date. @throws storage.unavailable */
  async start(): Promise<void> {
    const { intents, elasticsearch, embedded, isOwn } = this.parts;
    await intents.ensure();
    const left = await intents.left();
    if (left.some(({ catalog }) => catalog !== undefined)) {
      await reconcile(
        elasticsearch,
        embedded,
        left.flatMap(({ catalog }) => catalog ?? []),
        isOwn,
      );
    }
    for (const { id, documents } of left) {
      await copyKeys(this.parts.elasticsearch, this.parts.embedded, documents);
      await intents.remove(id);
    }
    this.unanswered.start();
  }

  /** Determines the outcome of writes that were not answered, as far as Elasticsearch answers in time. */
  resolveWithin(milliseconds: number): Promise<void> {
    return this.unanswered.resolveWithin(milliseconds);
  }

  /** Call it while no write runs; those that wait go to the current engine. */
  end(): void {
    this.isEnded = true;
    this.unanswered.end();
  }

  /** Whether a document is being written. */
  isChanging(name: CollectionName, id: string): boolean {
    return this.unanswered.has(name, id);
  }

  write(
    operations: readonly WriteOperation[],
    refresh: boolean,
    stamp?: WriteStamp,
    origin?: ChangeOrigin | null,
  ): Promise<readonly WriteOutcome[]> {
    const { gate, current } = this.parts;
    return gate.pass(
      async () => {
        if (operations.length === 0) return [];
        await this.settle();
        return this.inTurn(operations, () => this.mirror(operations, refresh, stamp, origin));
      },
      () => current.write(operations, refresh, stamp, origin),
    );
  }

  createIndex(index: string): Promise<void> {
    return this.change([], (engine) => engine.createIndex(index));
  }

  async deleteIndex(index: string, origin?: ChangeOrigin | null) {
    return this.change([], (engine) => engine.deleteIndex(index, origin));
  }

  setIndexSettings(index: string, settings: IndexSettings): Promise<void> {
    return this.change([], (engine) => engine.setIndexSettings(index, settings));
  }

  createCollection(name: CollectionName, mapping: Mapping): Promise<boolean> {
    return this.change([name], (engine) => engine.createCollection(name, mapping));
  }

  deleteCollection(name: CollectionName, origin?: ChangeOrigin | null) {
    return this.change([name], (engine) => engine.deleteCollection(name, origin));
  }

  truncate(name: CollectionName, origin?: ChangeOrigin | null) {
    return this.change([name], (engine) => engine.truncate(name, origin));
  }

  updateMapping(name: CollectionName, update: Mapping): Promise<void> {
    return this.change([name], (engine) => engine.updateMapping(name, update));
  }

  /** Writes of one document take turns. */
  private inTurn<T>(operations: readonly DocumentKey[], work: () => Promise<T>): Promise<T> {
    const keys = new Set(operations.map((each) => toDocumentKey(each, each.id)));
    return this.queue.runAll([...keys], work);
  }

  private async mirror(
    operations: readonly WriteOperation[],
    refresh: boolean,
    stamp?: WriteStamp,
    origin?: ChangeOrigin | null,
  ): Promise<readonly WriteOutcome[]> {
    const { elasticsearch, embedded, intents } = this.parts;
    const results = operations.map((operation): WriteOutcome | undefined => {
      const error = embedded.refusalOf(operation);
      return error && { status: 'failed', error };
    });
    const places = [...results.keys()].filter((place) => results[place] === undefined);
    const sent = places.map((place) => operations[place] as WriteOperation);
    if (sent.length === 0) return results as WriteOutcome[];
    const intent = await intents.add(sent);
    let isKnown = false;
    try {
      const outcomes = await elasticsearch.write(sent, refresh, stamp);
      const recorded = embedded.copy(toCopies(sent, outcomes), origin);
      const isAnswered = !outcomes.some(isUnanswered);
      // In the same transaction.
      if (isAnswered) void intents.remove(intent);
      const records = (await recorded).values();
      isKnown = isAnswered;
      outcomes.forEach((outcome, i) => {
        const place = places[i] as number;
        results[place] = outcome.status === 'failed' ? outcome : recordedAs(outcome, records.next().value);
      });
      return results as WriteOutcome[];
    } finally {
      if (!isKnown) this.unanswered.add(intent, sent);
    }
  }

  /** Changes the catalog of both engines while nothing else is written. */
  private async change<T>(names: readonly CollectionName[], work: (engine: WritingEngine) => Promise<T>): Promise<T> {
    const { gate, current, elasticsearch, embedded, intents } = this.parts;
    const held = await gate.hold();
    if (this.isEnded) {
      held.release();
      return work(current);
    }
    try {
      await held.idle;
      await this.settle();
      const intent = await intents.addCatalog(names);
      this.uncertain = { intent, names };
      try {
        await work(elasticsearch);
      } catch (error) {
        // What Elasticsearch refuses is not changed.
        if ((error as { id?: unknown }).id !== storageErrors.unavailable.id) await this.forget(intent);
        throw error;
      }
      const result = await work(embedded);
      await this.forget(intent);
      return result;
    } finally {
      held.release();
    }
  }

  private async forget(intent: string): Promise<void> {
    this.uncertain = undefined;
    await this.parts.intents.remove(intent);
  }

  /** Determines the outcome of a change of the catalog. @throws storage.unavailable */
  private async settle(): Promise<void> {
    const { uncertain } = this;
    if (uncertain === undefined) return;
    const { elasticsearch, embedded, isOwn } = this.parts;
    this.settling ??= reconcile(elasticsearch, embedded, uncertain.names, isOwn)
      .then(() => this.forget(uncertain.intent))
      .finally(() => {
        this.settling = undefined;
      });
    await this.settling;
  }
}

/** What the successful writes have stored. */
function toCopies(operations: readonly WriteOperation[], outcomes: readonly WriteOutcome[]): readonly DocumentCopy[] {
  return operations.flatMap((operation, i): DocumentCopy[] => {
    const outcome = outcomes[i];
    if (outcome === undefined || outcome.status === 'failed') return [];
    const { index, collection, id } = operation;
    if (operation.kind === 'delete' || outcome.status === 'deleted') return [{ index, collection, id, document: null }];
    const { version, meta } = outcome;
    const document = { id, version, meta, json: JSON.stringify(operation.source) };
    return [{ index, collection, id, document }];
  });
}

/** The outcome with its position in the change log. */
function recordedAs(
  outcome: Exclude<WriteOutcome, { readonly status: 'failed' }>,
  record: WriteOutcome | undefined,
): WriteOutcome {
  if (record === undefined || record.status === 'failed' || record.cursor === undefined) return outcome;
  return { ...outcome, cursor: record.cursor };
}

/** Whether a write may have been made although it failed. */
function isUnanswered(outcome: WriteOutcome): boolean {
  return outcome.status === 'failed' && outcome.error.id === storageErrors.unavailable.id;
}
