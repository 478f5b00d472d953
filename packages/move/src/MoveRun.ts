import { setTimeout as sleep } from 'node:timers/promises';
import type { CollectionName, CopyableEngine } from '@millrace/kernel';
import type { AnswersInOrder } from './AnswersInOrder.js';
import { ChangedDocuments } from './ChangedDocuments.js';
import { compareEngines, type Comparison } from './compareEngines.js';
import { EngineCopy } from './EngineCopy.js';
import type { EngineSwitch } from './EngineSwitch.js';
import { FollowedWrites } from './FollowedWrites.js';
import { WriteGate } from './WriteGate.js';

/** How often changes are copied during the comparison: each time costs Elasticsearch a flush to disk. */
const FOLLOW_EVERY_MS = 100;

/** Changes that can be copied within the time that writes may wait. */
const FEW_CHANGES = 500;

/** Writes wait this long at most; then they go on as before, and the switch is tried again. */
const MAX_HELD_MS = 1_000;
const MAX_TRIES = 30;
const PAUSE_MS = 300;

/** One copy of an engine into another one, while it is in use. */
export class MoveRun {
  readonly copy: EngineCopy;
  private readonly changes = new ChangedDocuments();
  private readonly gate = new WriteGate();
  private readonly writes: FollowedWrites;

  constructor(
    private readonly inUse: EngineSwitch,
    /** The engine in use. */
    private readonly source: CopyableEngine,
    private readonly target: CopyableEngine,
    answers: AnswersInOrder,
    /** Collections that are not copied. */
    isOwn: (name: CollectionName) => boolean,
    /** @throws Error that ends the move */
    private readonly assertGoingOn: () => void,
    /** Called with the number of documents compared so far. */
    private readonly onCompared: (documents: number) => void,
  ) {
    const { changes, gate } = this;
    this.writes = new FollowedWrites(source, changes, gate, answers);
    this.copy = new EngineCopy(source, target, changes, isOwn, assertGoingOn);
  }

  /** Copies all documents. @throws Error naming what the target refuses */
  async copyAll(): Promise<void> {
    const { inUse, source, target } = this;
    inUse.use(source, this.writes);
    // Writes that began before are not noted.
    await source.settled();
    await target.bulkLoad(true);
    await this.copy.copyAll();
  }

  /** Compares both engines, and goes on copying changes. */
  async compare(): Promise<Comparison> {
    const { source, target, assertGoingOn, onCompared } = this;
    let isOver = false;
    const follow = async () => {
      while (!isOver) {
        await this.copy.follow();
        await this.copy.copyWaiting();
        if (this.changes.size < FEW_CHANGES) await sleep(FOLLOW_EVERY_MS);
      }
    };
    const comparing = compareEngines({
      left: source,
      right: target,
      names: this.copy.collections,
      isChanging: (name, id) => this.changes.has(name, id),
      onProgress: (documents) => {
        assertGoingOn();
        if (isOver) throw new Error('changes could not be copied');
        onCompared(documents);
      },
    }).finally(() => {
      isOver = true;
    });
    const following = follow().finally(() => {
      isOver = true;
    });
    // An error of the copy explains more than one of the comparison.
    const [followed, compared] = await Promise.allSettled([following, comparing]);
    if (followed.status === 'rejected') throw followed.reason as Error;
    if (compared.status === 'rejected') throw compared.reason as Error;
    return compared.value;
  }

  /**
   * Holds back writes, copies the last changes, and passes all requests to the target.
   * @param persist called before: the target has the documents at the next start
   * @returns how long writes were held, in milliseconds
   * @throws Error if there was never enough time, or if the move is not to go on
   */
  async switch(persist: () => Promise<void>): Promise<number> {
    const { inUse, target, assertGoingOn } = this;
    await target.bulkLoad(false);
    for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
      await this.prepare();
      const held = this.gate.hold();
      const beganMs = performance.now();
      const isTimeUp = () => performance.now() - beganMs > MAX_HELD_MS;
      const completed = held.idle.then(() => this.complete(isTimeUp));
      try {
        const isReady = await Promise.race([completed, sleep(MAX_HELD_MS, false)]);
        if (isReady && !isTimeUp()) {
          assertGoingOn();
          await persist();
          inUse.use(target, this.writes);
          this.leave(target);
          return performance.now() - beganMs;
        }
      } finally {
        held.release();
      }
      await completed;
      await sleep(PAUSE_MS * tries);
    }
    throw new Error(
      `writes could not be stopped within ${MAX_HELD_MS} ms: try again with less load, or without large batches`,
    );
  }

  /** Goes on without a copy. */
  abandon(): void {
    this.leave(this.source);
  }

  /** Before writes are held. */
  private async prepare(): Promise<void> {
    const { copy, changes } = this;
    await copy.follow();
    await copy.copyWaiting();
    await copy.drain(() => changes.size < FEW_CHANGES);
    await this.refresh();
  }

  /** While writes are held. @returns false if there is more to do than time permits */
  private async complete(isTimeUp: () => boolean): Promise<boolean> {
    if (isTimeUp()) return false;
    await this.copy.drain(isTimeUp);
    if (!this.changes.isEmpty || isTimeUp()) return false;
    await this.refresh();
    return true;
  }

  /** Calls the engine directly as soon as no write is under way. Another move may have begun until then. */
  private leave(engine: CopyableEngine): void {
    const { inUse } = this;
    const isLast = () => inUse.isWrittenBy(this.writes);
    this.writes.end(
      () => (isLast() ? engine : inUse.registered),
      () => {
        if (isLast()) inUse.use(engine);
      },
    );
  }

  /** Searches in the target find what they have found before. */
  private async refresh(): Promise<void> {
    const indexes = new Set(this.copy.collections.map(({ index }) => index));
    await Promise.all([...indexes].map((index) => this.target.refresh(index)));
  }
}
