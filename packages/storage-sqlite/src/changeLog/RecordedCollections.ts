import { toCollectionKey, type CollectionName } from '@millrace/kernel';
import type { WriterThread } from '../writer/WriterThread.js';
import type { HistoryOptions } from './HistoryOptions.js';

/** The collections whose changes are recorded, as the main thread knows them. The writer decides. */
export class RecordedCollections {
  /** By index, the collections that may be recorded: those that were at any time since the start. */
  private readonly possible = new Map<string, Set<string>>();
  /** By collection, the answer of the writer: recorded without limit. */
  private readonly covers = new Map<string, Promise<void>>();
  private isComplete = false;

  constructor(
    private readonly writer: WriterThread,
    private readonly history: HistoryOptions,
    private readonly internalIndex: string,
  ) {}

  get epoch(): string {
    return this.writer.log.epoch;
  }

  /** False only if changes of the collection are certainly not recorded: then the writer needs no origin. */
  mayRecord({ index, collection }: CollectionName): boolean {
    if (!this.isComplete) {
      for (const name of this.writer.log.covers) this.add(name);
      this.isComplete = true;
    }
    if (this.history.collections === 'all' && index !== this.internalIndex) return true;
    return this.possible.size > 0 && this.possible.get(index)?.has(collection) === true;
  }

  cover(name: CollectionName): Promise<void> {
    const key = toCollectionKey(name);
    let covered = this.covers.get(key);
    if (covered === undefined) {
      this.add(name);
      const { index, collection } = name;
      covered = this.writer
        .submit({ type: 'cover', index, collection, until: null })
        .then(() => undefined);
      this.covers.set(key, covered);
      covered.catch(() => this.covers.delete(key));
    }
    return covered;
  }

  release(name: CollectionName): void {
    if (!this.covers.delete(toCollectionKey(name))) return;
    const { index, collection } = name;
    const until = Date.now() + this.history.maxAgeMs;
    // If this fails, recording goes on until the next start: more is kept than needed.
    this.writer.submit({ type: 'cover', index, collection, until }).catch(() => undefined);
  }

  private add({ index, collection }: CollectionName): void {
    const known = this.possible.get(index);
    if (known === undefined) this.possible.set(index, new Set([collection]));
    else known.add(collection);
  }
}
