/*
 * Writes of many documents, applied in order.
 *
 * A batch is cut into waves (see Wave.ts): one read of the documents to update, one write to the engine and no promise
 * per item. Only updates that lose against a concurrent writer are retried one by one; no later item of the wave
 * touches their documents, so the order is preserved.
 */
import {
  documentErrors,
  isThenable,
  MillraceError,
  SECURITY,
  STORAGE_ENGINE,
  toCollectionKey,
  type CollectionName,
  type JsonObject,
  type Request,
  type Security,
  type StorageEngine,
  type StoredDocument,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { STORAGE_CONFIG, type StorageConfig } from '../config.js';
import type { CommitOptions } from '../documents/CommitOptions.js';
import { ContentAdmission } from '../documents/ContentAdmission.js';
import { DocumentCommits } from '../documents/DocumentCommits.js';
import { DocumentUpdates } from '../documents/DocumentUpdates.js';
import type { CommittedOutcome, PlannedWrite } from '../documents/PlannedWrite.js';
import { ITEM_ACTIONS, type BatchItem, type BatchOutcome, type BatchWrite } from './BatchItem.js';
import { GuardedItems } from './GuardedItems.js';
import { EventLoopPacer } from './EventLoopPacer.js';
import { Wave, type WaveItem } from './Wave.js';

/** Options of a batch, and its user. */
export interface BatchOptions extends CommitOptions {
  /** Each item is authorised for its user (DOC-33). */
  readonly request: Request;
}

/** A batch being written. */
interface Batch {
  readonly outcomes: BatchOutcome[];
  readonly options: BatchOptions;
  readonly pacer: EventLoopPacer;
  /** Set if a wave failed after an earlier one was written: the remaining items fail with this error. */
  failure?: MillraceError;
  hasWritten: boolean;
}

/** Writes batches. */
@scoped(Scope.ContainerScoped)
export class BatchWriter {
  constructor(
    @inject(STORAGE_ENGINE) private readonly engine: StorageEngine,
    @inject(DocumentCommits) private readonly commits: DocumentCommits,
    @inject(DocumentUpdates) private readonly updates: DocumentUpdates,
    @inject(ContentAdmission) private readonly admission: ContentAdmission,
    @inject(STORAGE_CONFIG) private readonly config: StorageConfig,
    @inject(SECURITY) private readonly security: Security,
    @inject(GuardedItems) private readonly guardedItems: GuardedItems,
  ) {}

  /**
   * Applies the items in order. The outcomes are independent, in the order of the items.
   * @throws storage.unavailable if nothing could be written; after the first write, it becomes the outcome of the
   *   remaining items
   */
  async write(
    items: readonly BatchItem[],
    options: BatchOptions,
  ): Promise<readonly BatchOutcome[]> {
    const outcomes = new Array<BatchOutcome>(items.length);
    const batch: Batch = { outcomes, options, pacer: new EventLoopPacer(), hasWritten: false };
    const hasUpdates = items.some((item) => !isError(item) && item.kind === 'update');
    const newWave = () => new Wave(this.config.writeBatchSize, hasUpdates);
    let wave = newWave();
    for (let position = 0; position < items.length; position++) {
      const item = items[position] as BatchItem;
      if (isError(item)) outcomes[position] = { status: 'failed', error: item };
      else {
        if (!wave.takes(item)) {
          await this.writeWave(wave, batch);
          wave = newWave();
        }
        wave.add(position, item);
      }
      if (batch.pacer.isDue()) await batch.pacer.rest();
    }
    await this.writeWave(wave, batch);
    return outcomes;
  }

  private async writeWave(wave: Wave, batch: Batch): Promise<void> {
    if (wave.items.length === 0) return;
    if (batch.failure !== undefined) return failAll(wave.items, batch.failure, batch);
    try {
      const allowed = await this.allowed(wave.items, batch);
      const items = await this.guardedItems.write(allowed, batch);
      const stored = await this.readForUpdates(items);
      const operations = await this.toOperations(items, stored, batch);
      await this.commit(items, operations, batch);
    } catch (error) {
      // An error that is not registered is a bug, to be logged as such.
      if (!batch.hasWritten || !isError(error)) throw error;
      batch.failure = error;
      failAll(wave.items, error, batch);
    }
  }

  /** The items that the user may write; the others get the refusal as their outcome. */
  private async allowed(items: readonly WaveItem[], batch: Batch): Promise<readonly WaveItem[]> {
    const { request } = batch.options;
    const allowed: WaveItem[] = [];
    for (const item of items) {
      const { kind, name, id, content } = item.write;
      const target = {
        controller: 'document',
        action: ITEM_ACTIONS[kind],
        ...name,
        id,
        body: content,
      };
      try {
        const judged = this.security.authorizeTarget(request, target);
        if (isThenable(judged)) await judged;
        allowed.push(item);
      } catch (error) {
        if (!isError(error)) throw error;
        batch.outcomes[item.position] = { status: 'failed', error };
      }
      if (batch.pacer.isDue()) await batch.pacer.rest();
    }
    return allowed;
  }

  /** The documents that the wave updates, by position in the batch. */
  private async readForUpdates(
    items: readonly WaveItem[],
  ): Promise<ReadonlyMap<number, StoredDocument>> {
    const byCollection = new Map<string, { name: CollectionName; items: WaveItem[] }>();
    for (const item of items) {
      if (item.write.kind !== 'update') continue;
      const { name } = item.write;
      const key = toCollectionKey(name);
      const group = byCollection.get(key) ?? { name, items: [] };
      group.items.push(item);
      byCollection.set(key, group);
    }
    const stored = new Map<number, StoredDocument>();
    for (const group of byCollection.values()) {
      // An absent collection has no documents; its index may also be absent, and `readMany` would then fail.
      if (!(await this.engine.hasCollection(group.name))) continue;
      const ids = group.items.map(({ write }) => write.id);
      const documents = await this.engine.readMany(group.name, ids);
      documents.forEach((document, i) => {
        if (document !== null) stored.set((group.items[i] as WaveItem).position, document);
      });
    }
    return stored;
  }

  /** The operations of the wave; undefined for items whose outcome is known already. */
  private async toOperations(
    items: readonly WaveItem[],
    stored: ReadonlyMap<number, StoredDocument>,
    batch: Batch,
  ): Promise<readonly (PlannedWrite | undefined)[]> {
    const operations: (PlannedWrite | undefined)[] = [];
    for (const item of items) {
      const planned = this.plan(item.write, stored.get(item.position));
      if ('status' in planned) batch.outcomes[item.position] = planned;
      operations.push('status' in planned ? undefined : planned);
      if (batch.pacer.isDue()) await batch.pacer.rest();
    }
    return operations;
  }

  private plan(write: BatchWrite, stored: StoredDocument | undefined): PlannedWrite | BatchOutcome {
    try {
      return this.planOrThrow(write, stored);
    } catch (error) {
      if (isError(error)) return { status: 'failed', error };
      throw error;
    }
  }

  private planOrThrow(
    { kind, name, id, content }: BatchWrite,
    stored: StoredDocument | undefined,
  ): PlannedWrite | BatchOutcome {
    const { index, collection } = name;
    const source = content ?? {};
    switch (kind) {
      case 'delete':
        return { index, collection, kind: 'delete', id, condition: 'present' };
      case 'update': {
        if (stored === undefined) throw documentErrors.not_found({ index, collection, id });
        const { version, meta } = stored;
        const merged = this.updates.merge(stored, name, source);
        if (merged === stored.source) return { status: 'unchanged', version, source: merged, meta };
        const deferred = this.admission.deferred(name, source);
        return {
          index,
          collection,
          kind: 'put',
          id,
          source: merged,
          condition: version,
          ...deferred,
        };
      }
      case 'create':
      case 'index':
      case 'replace': {
        const admitted = this.admission.admit({ name, id, source });
        return {
          index,
          collection,
          kind: 'put',
          id,
          source: admitted,
          condition: CONDITIONS[kind],
        };
      }
    }
  }

  private async commit(
    items: readonly WaveItem[],
    planned: readonly (PlannedWrite | undefined)[],
    batch: Batch,
  ): Promise<void> {
    const operations = planned.filter((operation) => operation !== undefined);
    if (operations.length === 0) return;
    const written = await this.commits.commit(operations, batch.options);
    batch.hasWritten = true;
    const lost: WaveItem[] = [];
    let next = 0;
    for (let i = 0; i < items.length; i++) {
      const item = items[i] as WaveItem;
      const operation = planned[i];
      if (operation === undefined) continue;
      const outcome = written[next++] as CommittedOutcome;
      if (item.write.kind === 'update' && isConflict(outcome)) lost.push(item);
      else batch.outcomes[item.position] = toBatchOutcome(operation, outcome);
      if (batch.pacer.isDue()) await batch.pacer.rest();
    }
    for (const item of lost) batch.outcomes[item.position] = await this.updateAgain(item, batch);
  }

  private async updateAgain({ write }: WaveItem, { options }: Batch): Promise<BatchOutcome> {
    const { name, id } = write;
    try {
      const changes: JsonObject = write.content ?? {};
      const after = await this.updates.update({
        ...options,
        action: ITEM_ACTIONS.update,
        name,
        id,
        changes,
      });
      const { version, source, meta } = after;
      return { status: 'replaced', version, source, meta };
    } catch (error) {
      if (isError(error)) return { status: 'failed', error };
      throw error;
    }
  }
}

const CONDITIONS = { create: 'absent', index: 'any', replace: 'present' } as const;

function toBatchOutcome(operation: PlannedWrite, outcome: CommittedOutcome): BatchOutcome {
  if (outcome.status === 'failed') return outcome;
  const { version } = outcome;
  if (outcome.status === 'deleted') return { status: 'deleted', version, source: null, meta: null };
  const planned = operation.kind === 'put' ? operation.source : null;
  return { status: outcome.status, version, source: outcome.source ?? planned, meta: outcome.meta };
}

function isConflict(outcome: CommittedOutcome): boolean {
  return outcome.status === 'failed' && outcome.error.id === documentErrors.version_conflict.id;
}

function failAll(items: readonly WaveItem[], error: MillraceError, { outcomes }: Batch): void {
  for (const { position } of items) outcomes[position] = { status: 'failed', error };
}

function isError(value: unknown): value is MillraceError {
  return value instanceof MillraceError;
}
