import { setTimeout as sleep } from 'node:timers/promises';
import type { CopyableEngine } from '@millrace/kernel';
import { ChangedDocuments } from './ChangedDocuments.js';
import { compareEngines, type Comparison } from './compareEngines.js';
import { EngineCopy } from './EngineCopy.js';
import { FollowedWrites } from './FollowedWrites.js';
import { holdFor } from './holdFor.js';
import type { MoveCollections } from './MoveCollections.js';
import type { MovingEngine } from './MovingEngine.js';
import { WriteGate } from './WriteGate.js';

/** How often changes are copied during the comparison: each time costs Elasticsearch a flush to disk. */
const FOLLOW_EVERY_MS = 100;

/** Changes that can be copied within the time that writes may wait. */
const FEW_CHANGES = 500;

/** The dependencies of `MoveRun`. */
export interface MoveRunParts {
  readonly engine: MovingEngine;
  readonly target: CopyableEngine;
  readonly collections: MoveCollections;
  /** @throws Error that ends the move */
  readonly assertGoingOn: () => void;
  /** Called with the number of documents compared so far. */
  readonly onCompared: (documents: number) => void;
}

/** One copy of the embedded engine into Elasticsearch, while it is in use. */
export class MoveRun {
  readonly copy: EngineCopy;
  private readonly changes = new ChangedDocuments();
  private readonly gate = new WriteGate();
  private readonly writes: FollowedWrites;

  constructor(private readonly parts: MoveRunParts) {
    const { engine, target, collections, assertGoingOn } = parts;
    const { changes, gate } = this;
    this.writes = new FollowedWrites({ engine: engine.embedded, changes, gate, current: engine });
    this.copy = new EngineCopy({
      source: engine.embedded,
      target,
      changes,
      isOwn: (name) => collections.isOwn(name),
      assertGoingOn,
    });
  }

  /** Copies all documents. @throws Error naming what Elasticsearch refuses */
  async copyAll(): Promise<void> {
    const { engine } = this.parts;
    engine.stay(this.writes);
    // Writes that began before are not noted.
    await engine.embedded.settled();
    await this.parts.target.bulkLoad(true);
    await this.copy.copyAll();
  }

  /** Compares both engines, and goes on copying changes. */
  async compare(): Promise<Comparison> {
    const { engine, target, assertGoingOn, onCompared } = this.parts;
    let isOver = false;
    const follow = async () => {
      while (!isOver) {
        await this.copy.follow();
        await this.copy.copyWaiting();
        if (this.changes.size < FEW_CHANGES) await sleep(FOLLOW_EVERY_MS);
      }
    };
    const comparing = compareEngines({
      left: engine.embedded,
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
   * Holds back writes, copies the last changes, and flips.
   * @returns how long writes were held, in milliseconds
   */
  async switch(flip: () => Promise<void>): Promise<number> {
    const { copy, changes } = this;
    await this.parts.target.bulkLoad(false);
    return holdFor(this.gate, {
      prepare: async () => {
        await copy.follow();
        await copy.copyWaiting();
        await copy.drain(() => changes.size < FEW_CHANGES);
        await this.refresh();
      },
      complete: async (isTimeUp) => {
        await copy.drain(isTimeUp);
        if (!changes.isEmpty || isTimeUp()) return false;
        await this.refresh();
        return true;
      },
      flip: async () => {
        await flip();
        this.writes.end();
      },
    });
  }

  /** Goes on without a copy. */
  abandon(): void {
    this.parts.engine.stay();
    this.writes.end();
  }

  /** Searches in Elasticsearch find what they have found before. */
  private async refresh(): Promise<void> {
    const indexes = new Set(this.copy.collections.map(({ index }) => index));
    await Promise.all([...indexes].map((index) => this.parts.target.refresh(index)));
  }
}
