import { setTimeout as sleep } from 'node:timers/promises';
import type {
  ChangeOrigin,
  CollectionName,
  IndexSettings,
  StorageEngine,
  WriteOperation,
  WriteOutcome,
  WriteStamp,
} from '@millrace/kernel';
import type { Mapping } from '@millrace/query';
import type { ChangedDocuments } from './ChangedDocuments.js';
import type { WriteGate } from './WriteGate.js';
import type { WritingEngine } from './WritingEngine.js';

/** Beyond this many documents that are not copied yet, writes wait: the copy would never catch up. */
const MAX_CHANGES = 20_000;
const WAIT_MS = 20;

/** The dependencies of `FollowedWrites`. */
export interface FollowedWritesParts {
  readonly engine: StorageEngine;
  readonly changes: ChangedDocuments;
  readonly gate: WriteGate;
  /** The engine for writes that were held back. */
  readonly current: WritingEngine;
}

/** Writes to an engine that is being copied: notes what they change, and holds them back when the gate does. */
export class FollowedWrites implements WritingEngine {
  private isEnded = false;

  constructor(private readonly parts: FollowedWritesParts) {}

  /** Another engine takes over. */
  end(): void {
    this.isEnded = true;
  }

  async write(
    operations: readonly WriteOperation[],
    refresh: boolean,
    stamp?: WriteStamp,
    origin?: ChangeOrigin | null,
  ): Promise<readonly WriteOutcome[]> {
    const { engine, changes, gate, current } = this.parts;
    while (changes.size > MAX_CHANGES && !this.isEnded) await sleep(WAIT_MS);
    if (this.isEnded) return current.write(operations, refresh, stamp, origin);
    return gate.pass(
      async () => {
        try {
          return await engine.write(operations, refresh, stamp, origin);
        } finally {
          // Failed writes too: the worker may have made them before it died.
          for (const operation of operations) changes.add(operation);
        }
      },
      () => current.write(operations, refresh, stamp, origin),
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
    return this.change(
      (engine) => engine.deleteIndex(index, origin),
      async () => {
        const collections = await this.parts.engine.listCollections(index);
        return collections.map((collection) => ({ index, collection }));
      },
    );
  }

  deleteCollection(name: CollectionName, origin?: ChangeOrigin | null) {
    return this.change(
      (engine) => engine.deleteCollection(name, origin),
      async () => [name],
    );
  }

  truncate(name: CollectionName, origin?: ChangeOrigin | null) {
    return this.change(
      (engine) => engine.truncate(name, origin),
      async () => [name],
    );
  }

  private change<T>(
    work: (engine: WritingEngine) => Promise<T>,
    wipes: () => Promise<readonly CollectionName[]> = async () => [],
  ): Promise<T> {
    const { engine, changes, gate, current } = this.parts;
    return gate.pass(
      async () => {
        const wiped = await wipes();
        try {
          return await work(engine);
        } finally {
          changes.addCatalog();
          for (const name of wiped) changes.addWipe(name);
        }
      },
      () => work(current),
    );
  }
}
