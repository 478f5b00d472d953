import {
  ANONYMOUS,
  CLOCK,
  DOCUMENT_LISTENERS,
  isCollectionAbsent,
  isThenable,
  isError,
  STORAGE_ENGINE,
  storageErrors,
  toCollectionKey,
  WRITE_OBSERVERS,
  type Clock,
  type CollectionName,
  type DocumentListeners,
  type MaybePromise,
  type Request,
  type StorageEngine,
  type WriteObservers,
  type WriteOperation,
  type WriteStamp,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { CollectionCatalog } from '../catalog/CollectionCatalog.js';
import type { CommitOptions, CommittedOutcome, PlannedWrite } from './PlannedWrite.js';
import { ObservedWrites } from './ObservedWrites.js';
import { WriteBarrier } from './WriteBarrier.js';

/** Attempts at a write into a collection that is concurrently deleted. */
const MAX_TRIES = 3;

/**
 * The only component that writes documents to the engine. Creates collections that a write may create implicitly,
 * applies autoRefresh, and uses ObservedWrites for subscribers and for plugins that observe documents.
 */
@scoped(Scope.ContainerScoped)
export class DocumentCommits {
  constructor(
    @inject(STORAGE_ENGINE) private readonly engine: StorageEngine,
    @inject(CollectionCatalog) private readonly collections: CollectionCatalog,
    @inject(DOCUMENT_LISTENERS) private readonly listeners: DocumentListeners,
    @inject(ObservedWrites) private readonly observed: ObservedWrites,
    @inject(CLOCK) private readonly clock: Clock,
    @inject(WRITE_OBSERVERS) private readonly observers: WriteObservers,
    @inject(WriteBarrier) private readonly barrier: WriteBarrier,
  ) {}

  /**
   * Applies one write. Before a creation or deletion, notifies subscribers who asked for pending notifications.
   * @throws the error of its outcome
   */
  async commitOne(operation: PlannedWrite, options: CommitOptions): Promise<WrittenOutcome> {
    const [outcome] = await this.commitAll([operation], options, true);
    if (outcome === undefined) throw new Error('the engine gave no outcome');
    if (outcome.status === 'failed') throw outcome.error;
    return outcome;
  }

  /** Applies writes in order; the outcomes are in the same order. @throws storage.unavailable: nothing written */
  commit(operations: readonly PlannedWrite[], options: CommitOptions): Promise<readonly CommittedOutcome[]> {
    return this.commitAll(operations, options, false);
  }

  private async commitAll(
    operations: readonly PlannedWrite[],
    options: CommitOptions,
    notifiesPending: boolean,
  ): Promise<readonly CommittedOutcome[]> {
    const targets = targetsOf(operations);
    const { origin, request } = options;
    const hasObservers = request !== null && targets.some(({ name }) => this.observers.isObserved(name));
    // Observed writes create their collection later: one that a pipe refuses must not leave a collection behind.
    const creating = hasObservers ? undefined : this.createAbsent(targets, 0);
    if (isThenable(creating)) await creating;
    let refresh = options.refresh || this.isAutoRefreshed(targets, 0);
    if (isThenable(refresh)) refresh = await refresh;
    const stamp: WriteStamp = { atMs: this.clock.nowMs(), userId: authorOf(request) };
    const { listeners } = this;
    const hasListeners = targets.some(({ name }) =>
      origin === null ? listeners.needsSilent?.(name) === true : listeners.isListening(name),
    );
    const isObserved = hasListeners || hasObservers;
    const observer = hasObservers ? request : null;
    const prepare = (these: readonly WriteOperation[]) => this.createAbsent(targetsOf(these), 0);
    const plannedCount = operations.reduce((sum, { plan }) => sum + (plan === undefined ? 0 : 1), 0);
    const reading = { origin, observer, refresh, notifiesPending, isObserved, prepare, stamp };
    const write = (these: readonly PlannedWrite[]): Promise<readonly CommittedOutcome[]> =>
      isObserved || plannedCount > 0
        ? this.observed.write(these, reading)
        : this.engine.write(these, refresh, stamp, origin);
    const ended = this.barrier.begin(isObserved || plannedCount === operations.length);
    try {
      const outcomes = await write(operations);
      return outcomes.some(isWithoutCollection) ? await this.tryAgain(operations, outcomes, write) : outcomes;
    } finally {
      ended();
    }
  }

  /** Creates the collections that a write may create; returns without a promise if all of them are known to exist. */
  private createAbsent(targets: readonly WriteTarget[], from: number): MaybePromise<void> {
    for (let i = from; i < targets.length; i++) {
      const { name, isCreated } = targets[i] as WriteTarget;
      const created = isCreated ? this.createIfAbsent(name) : undefined;
      if (isThenable(created)) return created.then(() => this.createAbsent(targets, i + 1));
    }
  }

  private createIfAbsent(name: CollectionName): MaybePromise<void> {
    const exists = this.collections.exists(name);
    if (exists === true) return undefined;
    return Promise.resolve(exists).then((is) => (is ? undefined : this.collections.createForWrite(name)));
  }

  /** True if any of the indexes is configured to refresh after each write. */
  private isAutoRefreshed(targets: readonly WriteTarget[], from: number): MaybePromise<boolean> {
    for (let i = from; i < targets.length; i++) {
      const settings = this.settingsOf((targets[i] as WriteTarget).name.index);
      if (isThenable(settings)) {
        return settings.then((known) => known.autoRefresh || this.isAutoRefreshed(targets, i + 1));
      }
      if (settings.autoRefresh) return true;
    }
    return false;
  }

  /** An absent index has no settings: its writes fail one by one in the engine. */
  private settingsOf(index: string): MaybePromise<{ readonly autoRefresh: boolean }> {
    try {
      const settings = this.engine.getIndexSettings(index);
      return isThenable(settings) ? settings.catch(withoutIndex) : settings;
    } catch (error) {
      return withoutIndex(error);
    }
  }

  /** A collection was deleted between its check and the write: creates it again for the writes that may do so. */
  private async tryAgain(
    operations: readonly PlannedWrite[],
    first: readonly CommittedOutcome[],
    write: (operations: readonly PlannedWrite[]) => Promise<readonly CommittedOutcome[]>,
  ): Promise<readonly CommittedOutcome[]> {
    const outcomes = [...first];
    for (let tries = 1; tries < MAX_TRIES; tries++) {
      const lost = outcomes.flatMap((outcome, position) =>
        isWithoutCollection(outcome) && isCreation(operations[position]) ? [position] : [],
      );
      if (lost.length === 0) break;
      const again = lost.map((position) => operations[position] as PlannedWrite);
      for (const { name } of targetsOf(again)) await this.collections.createForWrite(name);
      const written = await write(again);
      written.forEach((outcome, i) => (outcomes[lost[i] as number] = outcome));
    }
    return outcomes;
  }
}

/** Null: anonymous, or the server itself. */
function authorOf(request: Request | null): string | null {
  if (request === null || request.user._id === ANONYMOUS._id) return null;
  return request.user._id;
}

/** The outcome of a successful write. */
export type WrittenOutcome = Exclude<CommittedOutcome, { readonly status: 'failed' }>;

interface WriteTarget {
  readonly name: CollectionName;
  isCreated: boolean;
}

/** The collections written to, each once, and whether a write may create them. */
function targetsOf(operations: readonly PlannedWrite[]): readonly WriteTarget[] {
  const [first] = operations;
  if (first === undefined) return [];
  if (operations.length === 1) {
    const { index, collection } = first;
    return [{ name: { index, collection }, isCreated: mayCreate(first) }];
  }
  const targets = new Map<string, WriteTarget>();
  let last: WriteTarget | undefined;
  for (const operation of operations) {
    const { index, collection } = operation;
    // Most calls write to one collection: comparing with the last one avoids building a key.
    if (last?.name.index !== index || last.name.collection !== collection) {
      const key = toCollectionKey({ index, collection });
      last = targets.get(key);
      if (last === undefined) {
        last = { name: { index, collection }, isCreated: false };
        targets.set(key, last);
      }
    }
    if (!last.isCreated && mayCreate(operation)) last.isCreated = true;
  }
  return [...targets.values()];
}

/** Whether a write creates its collection. One with a plan does once the plan has decided for a creation. */
function mayCreate(operation: PlannedWrite): boolean {
  return operation.plan === undefined && isCreation(operation);
}

/** A put that doesn't require an existing document creates collection and index (DOC-10). */
function isCreation(operation: PlannedWrite | undefined): boolean {
  return operation?.kind === 'put' && (operation.condition === 'absent' || operation.condition === 'any');
}

function isWithoutCollection(outcome: CommittedOutcome): boolean {
  return outcome.status === 'failed' && isCollectionAbsent(outcome.error);
}

function withoutIndex(error: unknown): { readonly autoRefresh: boolean } {
  if (isError(error, storageErrors.index_not_found)) return { autoRefresh: false };
  throw error;
}
