/*
 * Writes that depend on the stored document: by their plan, or because subscribers or plugins observe them (PROTO-81).
 *
 * The document is read, and the write is made on the condition that this version (or none) still exists; if another
 * writer was faster, both steps are repeated. On one node these writes of one document are queued until their change has
 * been passed on, so changes of a document arrive in the order of its versions, and changes of different documents in
 * the order in which the engine acknowledged them. Cost: one read per write; other writes don't come here.
 */
import {
  DOCUMENT_LISTENERS,
  documentErrors,
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
import type { CommittedOutcome, DecidedWrite, PlannedWrite } from './PlannedWrite.js';
import { WriteReview } from './WriteReview.js';

/** Attempts at a write that competes with writers on other nodes. */
const MAX_TRIES = 50;
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

interface Attempt {
  readonly position: number;
  /** The write to make: as planned, or as changed by pipes. */
  readonly operation: WriteOperation;
  /** Undefined: not read. */
  readonly before: StoredDocument | null | undefined;
  readonly isPlanned: boolean;
  /** The operation with the condition that the stored document is still `before`. */
  readonly conditional: WriteOperation;
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
    let isFirst = true;
    for (const positions of runsOfDistinctDocuments(operations)) {
      const keys = positions.map((position) => {
        const operation = operations[position] as PlannedWrite;
        return toDocumentKey(operation, operation.id);
      });
      try {
        await this.queue.runAll(keys, () =>
          this.writeDistinct(operations, positions, outcomes, options),
        );
      } catch (error) {
        if (isFirst || !(error instanceof MillraceError)) throw error;
        for (const position of positions) outcomes[position] ??= { status: 'failed', error };
      }
      isFirst = false;
    }
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
  async wipe(
    wiped: readonly CollectionName[],
    remove: () => Promise<Cursor | undefined | void>,
  ): Promise<void> {
    await this.order.runBatch(wiped, remove, (cursor) => {
      if (typeof cursor !== 'string') return;
      for (const { index, collection } of wiped) {
        this.order.add({ isWipe: true, index, collection, cursor });
      }
    });
  }

  private async writeDistinct(
    operations: readonly PlannedWrite[],
    positions: readonly number[],
    outcomes: CommittedOutcome[],
    options: ObservedWriteOptions,
  ): Promise<void> {
    let left = positions;
    for (let tries = 1; left.length > 0; tries++) {
      const attempts = await this.attempt(operations, left, { outcomes, options });
      if (attempts.length === 0) return;
      if (attempts.some(({ isPlanned }) => isPlanned || options.observer !== null)) {
        const prepared = options.prepare(attempts.map(({ operation }) => operation));
        if (isThenable(prepared)) await prepared;
      }
      if (options.notifiesPending && tries === 1) this.announce(attempts, options);
      const again: number[] = [];
      const isLast = tries >= MAX_TRIES;
      const write = () =>
        this.engine.write(
          attempts.map(({ conditional }) => conditional),
          options.refresh,
          options.stamp,
          options.origin,
        );
      const made = attempts.map(({ operation }) => operation);
      await this.order.run(made, write, (written) => {
        attempts.forEach((attempt, i) => {
          const outcome = written[i] as CommittedOutcome;
          if (!isLast && lostRace(attempt, outcome)) again.push(attempt.position);
          else outcomes[attempt.position] = withSource(attempt, outcome, options);
          this.notify(attempt, outcome, options);
        });
      });
      left = again;
    }
  }

  /** The writes to make, without those refused by a pipe, whose outcome is set here. */
  private async attempt(
    operations: readonly PlannedWrite[],
    positions: readonly number[],
    { outcomes, options }: { outcomes: CommittedOutcome[]; options: ObservedWriteOptions },
  ): Promise<readonly Attempt[]> {
    const befores = await this.readBefore(operations, positions, options);
    const attempts: Attempt[] = [];
    for (const position of positions) {
      const planned = operations[position] as PlannedWrite;
      const before = befores.get(position);
      const isPlanned = planned.plan !== undefined;
      if (before === undefined) {
        attempts.push({ position, operation: planned, before, isPlanned, conditional: planned });
        continue;
      }
      const decided = decide(planned, before, options.stamp);
      if (isOutcome(decided)) {
        outcomes[position] = decided;
        continue;
      }
      const { refusal, ...made } = decided;
      const { observer } = options;
      const reviewed = observer === null ? made : await this.reviews.review(made, before, observer);
      const operation = refusalOf(reviewed, before, refusal, options.stamp) ?? reviewed;
      if (operation instanceof MillraceError) {
        outcomes[position] = { status: 'failed', error: operation };
      } else {
        const conditional = this.withKnown(toConditional(operation, before), before);
        attempts.push({ position, operation, before, isPlanned, conditional });
      }
    }
    return attempts;
  }

  /** The stored documents of writes that depend on them, by position; null: absent. */
  private async readBefore(
    operations: readonly PlannedWrite[],
    positions: readonly number[],
    { isObserved }: ObservedWriteOptions,
  ): Promise<ReadonlyMap<number, StoredDocument | null>> {
    const [position = 0] = positions;
    if (positions.length === 1) return new Map([[position, await this.read(operations[position])]]);
    const read = isObserved
      ? positions
      : positions.filter((each) => operations[each]?.plan !== undefined);
    const found = await readStored(this.engine, operations, read);
    return new Map(read.map((each) => [each, found.get(each) ?? null]));
  }

  private async read(operation: PlannedWrite | undefined): Promise<StoredDocument | null> {
    if (operation === undefined) return null;
    const { index, collection, id } = operation;
    try {
      const found = this.engine.read({ index, collection }, id);
      return isThenable(found) ? await found : found;
    } catch (error) {
      if (isCollectionAbsent(error)) return null;
      throw error;
    }
  }

  /** Saves a change log that passes changes on a second read. */
  private withKnown(operation: WriteOperation, before: StoredDocument | null): WriteOperation {
    if (this.engine.changeLog?.passOn === undefined) return operation;
    const { condition } = operation;
    if (condition === 'absent') return { ...operation, known: null };
    return before !== null && condition === before.version
      ? { ...operation, known: before }
      : operation;
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

/** The write that a plan makes of the stored document, or its outcome. */
function decide(
  { plan, ...operation }: PlannedWrite,
  before: StoredDocument | null,
  stamp: WriteStamp,
): DecidedWrite | CommittedOutcome {
  if (plan === undefined) return operation;
  try {
    const decided = plan(before, stamp);
    if (decided !== 'unchanged') return decided;
    const { version, source, meta } = before as StoredDocument;
    return { status: 'unchanged', version, source, meta };
  } catch (error) {
    if (error instanceof MillraceError) return { status: 'failed', error };
    throw error;
  }
}

function isOutcome(decided: DecidedWrite | CommittedOutcome): decided is CommittedOutcome {
  return 'status' in decided;
}

/** The error that refuses a write by the right of the writer, judged on the content after pipes. */
function refusalOf(
  operation: WriteOperation | MillraceError,
  read: StoredDocument | null,
  refusal: DecidedWrite['refusal'],
  stamp: WriteStamp,
): MillraceError | null {
  const isJudged = refusal !== undefined && !(operation instanceof MillraceError);
  if (!isJudged || operation.kind === 'delete') return null;
  // A creation fails in the engine if there is a document.
  const before = operation.condition === 'absent' ? null : read;
  const meta = stampMetadata(before?.meta ?? null, stamp);
  return refusal(before, { id: operation.id, source: operation.source, meta });
}

/** The caller's answer shows the stored content, which a plan has decided or pipes may have changed. */
function withSource(
  { operation, isPlanned }: Attempt,
  outcome: CommittedOutcome,
  { observer }: ObservedWriteOptions,
): CommittedOutcome {
  const isKnown = !isPlanned && observer === null;
  if (isKnown || operation.kind === 'delete' || outcome.status === 'failed') return outcome;
  return { ...outcome, source: operation.source };
}

function mayBeAbsent(operation: WriteOperation & { readonly kind: 'put' }): boolean {
  return operation.condition === 'absent' || operation.condition === 'any';
}

/**
 * Narrows a condition to the version that was read; a condition that this version doesn't fulfil is kept, so that the
 * write fails as expected.
 */
function toConditional(operation: WriteOperation, before: StoredDocument | null): WriteOperation {
  if (typeof operation.condition === 'number' || operation.condition === 'absent') return operation;
  if (before !== null) return { ...operation, condition: before.version };
  if (operation.kind === 'put' && operation.condition === 'any') {
    return { ...operation, condition: 'absent' };
  }
  return operation;
}

/** True if the write failed only because another writer was faster: a plan, or a narrower condition, is tried again. */
function lostRace(
  { operation, conditional, isPlanned, before }: Attempt,
  outcome: CommittedOutcome,
): boolean {
  if (outcome.status !== 'failed') return false;
  const isAgain = isPlanned
    ? // A plan for an absent document leaves it to the engine what is absent.
      before !== null || outcome.error.id !== documentErrors.not_found.id
    : operation.condition !== conditional.condition;
  if (!isAgain) return false;
  const { id } = outcome.error;
  return (
    id === documentErrors.version_conflict.id ||
    id === documentErrors.already_exists.id ||
    id === documentErrors.not_found.id
  );
}
