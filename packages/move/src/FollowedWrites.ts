import { setTimeout as sleep } from 'node:timers/promises';
import type {
  ChangeOrigin,
  CollectionName,
  Cursor,
  IndexSettings,
  StorageEngine,
  WriteOperation,
  WriteOutcome,
  WriteStamp,
} from '@millrace/kernel';
import type { Mapping } from '@millrace/query';
import type { AnswersInOrder } from './AnswersInOrder.js';
import type { ChangedDocuments } from './ChangedDocuments.js';
import type { WritingEngine } from './EngineSwitch.js';
import type { WriteGate } from './WriteGate.js';

/** Beyond this many documents that are not copied yet, writes wait: the copy would never catch up. */
const MAX_CHANGES = 20_000;
const WAIT_MS = 20;

/** What comes after `FollowedWrites`. */
interface Successor {
  /** The engine for a write. */
  readonly engine: () => WritingEngine;
  readonly onIdle: () => void;
}

/** Writes to an engine that is being copied: notes what they change, and holds them back when the gate does. */
export class FollowedWrites implements WritingEngine {
  private running = 0;
  private successor: Successor | undefined;

  constructor(
    private readonly engine: StorageEngine,
    private readonly changes: ChangedDocuments,
    private readonly gate: WriteGate,
    private readonly answers: AnswersInOrder,
  ) {}

  /**
   * Passes the writes to `engine` from now on. `onIdle` is called when none runs: a write that doesn't come this way
   * would be answered before earlier ones until then.
   */
  end(engine: () => WritingEngine, onIdle: () => void): void {
    this.successor = { engine, onIdle };
    this.leaveIfIdle();
  }

  write(
    operations: readonly WriteOperation[],
    refresh: boolean,
    stamp?: WriteStamp,
    origin?: ChangeOrigin | null,
  ): Promise<readonly WriteOutcome[]> {
    return this.inOrder(
      () => this.passWrite(operations, (engine) => engine.write(operations, refresh, stamp, origin)),
      cursorOf,
    );
  }

  createIndex(index: string): Promise<void> {
    return this.change((engine) => engine.createIndex(index));
  }

  setIndexSettings(index: string, settings: IndexSettings): Promise<void> {
    return this.change((engine) => engine.setIndexSettings(index, settings));
  }

  createCollection(name: CollectionName, mapping: Mapping): Promise<boolean> {
    return this.change((engine) => engine.createCollection(name, mapping));
  }

  updateMapping(name: CollectionName, update: Mapping): Promise<void> {
    return this.change((engine) => engine.updateMapping(name, update));
  }

  deleteIndex(index: string, origin?: ChangeOrigin | null) {
    return this.wipe(
      (engine) => engine.deleteIndex(index, origin),
      async () => {
        const collections = await this.engine.listCollections(index);
        return collections.map((collection) => ({ index, collection }));
      },
    );
  }

  deleteCollection(name: CollectionName, origin?: ChangeOrigin | null) {
    return this.wipe(
      (engine) => engine.deleteCollection(name, origin),
      async () => [name],
    );
  }

  truncate(name: CollectionName, origin?: ChangeOrigin | null) {
    return this.wipe(
      (engine) => engine.truncate(name, origin),
      async () => [name],
    );
  }

  private async passWrite<T>(
    operations: readonly WriteOperation[],
    work: (engine: WritingEngine) => Promise<T>,
  ): Promise<T> {
    const { changes } = this;
    while (changes.size > MAX_CHANGES && this.successor === undefined) await sleep(WAIT_MS);
    return this.pass(work, () => {
      for (const operation of operations) changes.add(operation);
    });
  }

  private change<T>(work: (engine: WritingEngine) => Promise<T>): Promise<T> {
    return this.inOrder(
      () => this.pass(work, () => this.changes.addCatalog()),
      () => undefined,
    );
  }

  private wipe(
    work: (engine: WritingEngine) => Promise<Cursor | undefined | void>,
    wipedNames: () => Promise<readonly CollectionName[]>,
  ): Promise<Cursor | undefined | void> {
    let names: readonly CollectionName[] = [];
    const wipe = async (engine: WritingEngine) => {
      if (this.successor === undefined) names = await wipedNames();
      return work(engine);
    };
    const note = () => {
      this.changes.addCatalog();
      for (const name of names) this.changes.addWipe(name);
    };
    return this.inOrder(
      () => this.pass(wipe, note),
      (cursor) => cursor ?? undefined,
    );
  }

  private async inOrder<T>(work: () => Promise<T>, cursorOfResult: (result: T) => Cursor | undefined): Promise<T> {
    this.running += 1;
    try {
      return await this.answers.after(work(), cursorOfResult);
    } finally {
      this.running -= 1;
      this.leaveIfIdle();
    }
  }

  private pass<T>(work: (engine: WritingEngine) => Promise<T>, note: () => void): Promise<T> {
    const { engine, gate } = this;
    return gate.pass(async () => {
      const { successor } = this;
      if (successor !== undefined) return work(successor.engine());
      try {
        return await work(engine);
      } finally {
        // Failed writes too: the engine may have made them.
        note();
      }
    });
  }

  private leaveIfIdle(): void {
    if (this.running === 0) this.successor?.onIdle();
  }
}

/** Of the first change of a write. */
function cursorOf(outcomes: readonly WriteOutcome[]): Cursor | undefined {
  for (const outcome of outcomes) {
    if ('cursor' in outcome && outcome.cursor !== undefined) return outcome.cursor;
  }
  return undefined;
}
