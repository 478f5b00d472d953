/*
 * Writes that depend on the stored document: by their plan, or because subscribers or plugins observe them (PROTO-81).
 *
 * The document is read, and the write is made on the condition that this version (or none) still exists; if another
 * writer was faster, both steps are repeated. On one node these writes of one document are queued until their change has
 * been passed on, so changes of a document arrive in the order of its versions, and changes of different documents in
 * the order in which the engine acknowledged them. Cost: one read per write; other writes don't come here.
 */
import {
  andThen,
  DOCUMENT_LISTENERS,
  EventLoopPacer,
  isCollectionAbsent,
  isThenable,
  KeyedQueue,
  MillraceError,
  readStored,
  runsOfDistinctDocuments,
  stampMetadata,
  STORAGE_ENGINE,
  toCollectionKey,
  toDocumentKey,
  WRITE_OBSERVERS,
  type ChangeOrigin,
  type CollectionName,
  type Cursor,
  type DocumentListeners,
  type MaybePromise,
  type Request,
  type StorageEngine,
  type StoredDocument,
  type WriteObservers,
  type WriteOperation,
  type WriteStamp,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { ChangeOrder, type UnnumberedChange, type Wipe } from './ChangeOrder.js';
import type { CommittedOutcome, PlannedWrite } from './PlannedWrite.js';
import { decide, lostRace, refusalOf, toConditional, type Attempt, type Before } from './WriteAttempt.js';
import { WriteReview } from './WriteReview.js';

/** Attempts at a write that competes with writers on other nodes. */
const MAX_TRIES = 50;
const FIRST_ALONE: readonly number[] = [0];
const SILENT = { origin: { requestId: '', metadata: {} }, isSilent: true } as const;

/** Options of observed writes. */
export interface ObservedWriteOptions {
  /** Null if subscribers are not notified. */
  readonly origin: ChangeOrigin | null;
  /** The request that plugins see; null if no plugin observes these writes. */
  readonly observer: Request | null;
  /** Whether subscribers or plugins observe the writes: the documents of all are read, not only of those with a plan. */
  readonly isObserved: boolean;
  /** Creates the collections that the writes need, once no plan or pipe has refused them. */
  readonly prepare: (operations: readonly WriteOperation[]) => MaybePromise<void>;
  readonly refresh: boolean;
  /** Whether to notify subscribers who asked for pending notifications before the write. */
  readonly notifiesPending: boolean;
  readonly stamp: WriteStamp;
}

/** Writes, and passes each change to the listeners. */
@scoped(Scope.ContainerScoped)
export class ObservedWrites {
  private readonly queue = new KeyedQueue();
  private readonly sequences = new Map<string, number>();
  private readonly order = new ChangeOrder((change, reached) => {
    this.passOn(change, reached);
  });

  constructor(
    @inject(STORAGE_ENGINE) private readonly engine: StorageEngine,
    @inject(DOCUMENT_LISTENERS) private readonly listeners: DocumentListeners,
    @inject(WRITE_OBSERVERS) private readonly observers: WriteObservers,
    @inject(WriteReview) private readonly reviews: WriteReview,
  ) {}

  /** Applies writes in order; the outcomes are in the same order. @throws storage.unavailable: nothing written */
  async write(
    operations: readonly PlannedWrite[],
    options: ObservedWriteOptions,
  ): Promise<readonly CommittedOutcome[]> {
    const outcomes = new Array<CommittedOutcome>(operations.length);
    const [first] = operations;
    if (operations.length === 1 && first !== undefined) {
      await this.queue.run(toDocumentKey(first, first.id), () =>
        this.writeDistinct(operations, FIRST_ALONE, outcomes, options),
      );
    } else await this.writeRuns(operations, outcomes, options);
    if (!options.isObserved) return outcomes;
    // An acknowledged change must not be lost with this node.
    const confirmed = this.listeners.confirmed?.();
    if (confirmed !== undefined) await confirmed;
    return outcomes;
  }

  /**
   * Removes all documents of collections at once.
   * @param remove gives the position of the removal, if there were documents
   */
  async wipe(wiped: readonly CollectionName[], remove: () => Promise<Cursor | undefined | void>): Promise<void> {
    await this.order.runBatch(wiped, remove, (cursor) => {
      if (typeof cursor !== 'string') return;
      for (const { index, collection } of wiped) {
        this.order.add({ isWipe: true, index, collection, cursor });
      }
    });
  }

  /** If the store fails after the first run, the outcomes of the others are the failure. */
  private async writeRuns(
    operations: readonly PlannedWrite[],
    outcomes: CommittedOutcome[],
    options: ObservedWriteOptions,
  ): Promise<void> {
    let isFirst = true;
    for (const positions of runsOfDistinctDocuments(operations)) {
      const keys = positions.map((position) => {
        const operation = operations[position] as PlannedWrite;
        return toDocumentKey(operation, operation.id);
      });
      try {
        await this.queue.runAll(keys, () => this.writeDistinct(operations, positions, outcomes, options));
      } catch (error) {
        if (isFirst || !(error instanceof MillraceError)) throw error;
        for (const position of positions) outcomes[position] ??= { status: 'failed', error };
      }
      isFirst = false;
    }
  }

  private async writeDistinct(
    operations: readonly PlannedWrite[],
    positions: readonly number[],
    outcomes: CommittedOutcome[],
    options: ObservedWriteOptions,
  ): Promise<void> {
    let left = positions;
    for (let tries = 1; left.length > 0; tries++) {
      const read = this.readBefore(operations, left, options);
      const befores = isThenable(read) ? await read : read;
      const attempts: Attempt[] = [];
      const pacer = left.length === 1 ? undefined : new EventLoopPacer(1);
      for (let i = 0; i < left.length; i++) {
        const position = left[i] as number;
        const attempting = this.attempt(operations[position] as PlannedWrite, position, befores[i], options);
        const attempt = isThenable(attempting) ? await attempting : attempting;
        if ('status' in attempt) outcomes[position] = attempt;
        else attempts.push(attempt);
        if (pacer?.isDue() === true) await pacer.rest();
      }
      left = await this.make(attempts, tries, outcomes, options);
    }
  }

  /** The write to make; its outcome if a plan, a pipe or the right of the writer has decided it. */
  private attempt(
    planned: PlannedWrite,
    position: number,
    before: Before,
    { stamp, observer }: ObservedWriteOptions,
  ): MaybePromise<Attempt | CommittedOutcome> {
    const isPlanned = planned.plan !== undefined;
    if (before === undefined) return { position, operation: planned, conditional: planned, before, isPlanned };
    const decided = decide(planned, before, stamp);
    if ('status' in decided) return decided;
    const { refusal } = decided;
    const reviewed = observer === null ? decided : this.reviews.review(decided, before, observer);
    return andThen(reviewed, (operation): Attempt | CommittedOutcome => {
      if (operation instanceof MillraceError) return { status: 'failed', error: operation };
      const error = refusalOf(operation, before, refusal, stamp);
      if (error !== null) return { status: 'failed', error };
      const conditional = this.withKnown(toConditional(operation, before), before);
      return { position, operation, conditional, before, isPlanned };
    });
  }

  /** Makes writes. @returns those that another writer was faster than, to be tried again */
  private async make(
    attempts: readonly Attempt[],
    tries: number,
    outcomes: CommittedOutcome[],
    options: ObservedWriteOptions,
  ): Promise<readonly number[]> {
    if (attempts.length === 0) return [];
    const { observer, refresh, stamp, origin } = options;
    const made = attempts.map(({ operation }) => operation);
    if (observer !== null || attempts.some(({ isPlanned }) => isPlanned)) {
      const prepared = options.prepare(made);
      if (isThenable(prepared)) await prepared;
    }
    if (options.notifiesPending && tries === 1) this.announce(attempts, options);
    const again: number[] = [];
    const write = () =>
      this.engine.write(
        attempts.map(({ conditional }) => conditional),
        refresh,
        stamp,
        origin,
      );
    await this.order.run(made, write, (written) => {
      attempts.forEach((attempt, i) => {
        const outcome = written[i] as CommittedOutcome;
        if (tries < MAX_TRIES && lostRace(attempt, outcome)) again.push(attempt.position);
        else outcomes[attempt.position] = withSource(attempt, outcome, options);
        this.notify(attempt, outcome, options);
      });
    });
    return again;
  }

  /** The stored documents of writes that depend on them, as the positions; null: absent, undefined: not read. */
  private readBefore(
    operations: readonly PlannedWrite[],
    positions: readonly number[],
    { isObserved }: ObservedWriteOptions,
  ): MaybePromise<readonly Before[]> {
    if (positions.length === 1) {
      return andThen(this.read(operations[positions[0] as number] as PlannedWrite), (found) => [found]);
    }
    const read = isObserved ? positions : positions.filter((each) => operations[each]?.plan !== undefined);
    return readStored(this.engine, operations, read).then((found) => {
      const isRead = new Set(read);
      return positions.map((each) => (isRead.has(each) ? (found.get(each) ?? null) : undefined));
    });
  }

  private read({ index, collection, id }: PlannedWrite): MaybePromise<StoredDocument | null> {
    try {
      const found = this.engine.read({ index, collection }, id);
      return isThenable(found) ? found.catch(ofAbsent) : found;
    } catch (error) {
      return ofAbsent(error);
    }
  }

  /** Saves a change log that passes changes on a second read. */
  private withKnown(operation: WriteOperation, before: StoredDocument | null): WriteOperation {
    if (this.engine.changeLog?.passOn === undefined) return operation;
    const { condition } = operation;
    if (condition === 'absent') return { ...operation, known: null };
    return before !== null && condition === before.version ? { ...operation, known: before } : operation;
  }

  private announce(attempts: readonly Attempt[], { origin, stamp }: ObservedWriteOptions): void {
    if (origin === null) return;
    for (const { operation, before } of attempts) {
      const { index, collection, id } = operation;
      if (!this.listeners.isListeningForPending({ index, collection })) continue;
      if (operation.kind === 'put' && before === null && mayBeAbsent(operation)) {
        const { source } = operation;
        const meta = stampMetadata(null, stamp);
        this.listeners.pending({ index, collection, id, kind: 'create', source, meta, origin });
      } else if (operation.kind === 'delete' && before) {
        const { source, meta } = before;
        this.listeners.pending({ index, collection, id, kind: 'delete', source, meta, origin });
      }
    }
  }

  private notify(
    { operation, before: read }: Attempt,
    outcome: CommittedOutcome,
    { origin, observer }: ObservedWriteOptions,
  ): void {
    if (outcome.status === 'failed' || outcome.status === 'unchanged' || read === undefined) return;
    const { index, collection, id } = operation;
    const { version } = outcome;
    // A document that was absent at the write had no content before, whatever another node wrote after the read.
    const before = operation.condition === 'absent' ? null : (read?.source ?? null);
    const after = operation.kind === 'put' ? operation.source : null;
    if (observer !== null) {
      const action = `${observer.controller}.${observer.action}`;
      this.observers.after({
        index,
        collection,
        id,
        before,
        after,
        version,
        action,
        request: observer,
      });
    }
    if (outcome.isPassedOn || !this.isNeeded({ index, collection }, origin)) return;
    const metaBefore = operation.condition === 'absent' ? null : (read?.meta ?? null);
    const metaAfter = outcome.status === 'deleted' ? null : outcome.meta;
    const documents = { before, after, metaBefore, metaAfter };
    const { cursor } = outcome;
    const position = cursor === undefined ? undefined : { cursor };
    const cause = origin === null ? SILENT : { origin };
    this.order.add({ index, collection, id, ...documents, version, ...cause, ...position });
  }

  private isNeeded(name: CollectionName, origin: ChangeOrigin | null): boolean {
    if (!this.listeners.isListening(name)) return false;
    return origin !== null || this.listeners.needsSilent?.(name) === true;
  }

  private passOn(change: UnnumberedChange | Wipe, reached: Cursor | undefined): void {
    const { index, collection } = change;
    if ('isWipe' in change) {
      this.listeners.wiped?.({ index, collection });
      return;
    }
    const key = toCollectionKey({ index, collection });
    const sequence = (this.sequences.get(key) ?? 0) + 1;
    this.sequences.set(key, sequence);
    this.listeners.committed({ ...change, sequence, ...(reached !== undefined && { reached }) });
  }
}

/** An absent collection has no documents; its writes report that. */
function ofAbsent(error: unknown): null {
  if (isCollectionAbsent(error)) return null;
  throw error;
}

/** The caller's answer shows the stored content, which a plan has decided or pipes may have changed. */
function withSource(
  { operation, isPlanned }: Attempt,
  outcome: CommittedOutcome,
  { observer }: ObservedWriteOptions,
): CommittedOutcome {
  const isKnown = !isPlanned && observer === null;
  if (isKnown || operation.kind === 'delete' || outcome.status === 'failed') return outcome;
  // An object that begins with a spread is dearer.
  return { source: operation.source, ...outcome };
}

function mayBeAbsent(operation: WriteOperation & { readonly kind: 'put' }): boolean {
  return operation.condition === 'absent' || operation.condition === 'any';
}
