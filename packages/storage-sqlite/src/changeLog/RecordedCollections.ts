import { toCollectionKey, type CollectionName } from '@millrace/kernel';
import type { WriterThread } from '../writer/WriterThread.js';
import type { HistoryOptions } from '../writer/HistoryOptions.js';

/** Names that may have been added since the writer was asked, before it is asked again. */
const MIN_ADDED = 1_000;

/** The collections whose changes are recorded, as the main thread knows them. The writer decides. */
export class RecordedCollections {
  /** The collections that may be recorded: those that were when the writer was last asked, and later ones. */
  private possible = new CollectionNames();
  /** Those added since the writer was asked; undefined while it is not asked. */
  private added: CollectionName[] | undefined;
  /** The number of names at which the writer is asked which of them have ended: clients can invent them. */
  private askAtCount = MIN_ADDED;
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

  /** Number of collections that may be recorded. */
  get possibleCount(): number {
    return this.possible.size;
  }

  /** False only if changes of the collection are certainly not recorded: then the writer needs no origin. */
  mayRecord({ index, collection }: CollectionName): boolean {
    if (!this.isComplete) {
      for (const name of this.writer.log.covers) this.add(name);
      this.isComplete = true;
    }
    if (this.history.collections === 'all' && index !== this.internalIndex) return true;
    return this.possible.size > 0 && this.possible.has(index, collection);
  }

  cover(name: CollectionName): Promise<void> {
    const key = toCollectionKey(name);
    let covered = this.covers.get(key);
    if (covered === undefined) {
      this.add(name);
      const { index, collection } = name;
      covered = this.writer.submit({ type: 'cover', index, collection, until: null }).then(() => undefined);
      this.covers.set(key, covered);
      covered.catch(() => this.covers.delete(key));
    }
    return covered;
  }

  release(name: CollectionName, client = ''): void {
    if (!this.covers.delete(toCollectionKey(name))) return;
    const { index, collection } = name;
    const until = Date.now() + this.history.maxAgeMs;
    // If this fails, recording goes on until the next start: more is kept than needed.
    this.writer.submit({ type: 'cover', index, collection, until, client }).catch(() => undefined);
    if (this.possible.size >= this.askAtCount && this.added === undefined) void this.dropEnded();
  }

  private add({ index, collection }: CollectionName): void {
    this.possible.add(index, collection);
    this.added?.push({ index, collection });
  }

  private async dropEnded(): Promise<void> {
    const added: CollectionName[] = (this.added = []);
    try {
      const answer = await this.writer.submit({ type: 'covers' });
      const recorded = (answer.type === 'done' && answer.covers) || [];
      this.possible = new CollectionNames();
      for (const { index, collection } of [...recorded, ...added]) this.possible.add(index, collection);
      this.askAtCount = 2 * this.possible.size + MIN_ADDED;
    } catch {
      // The writer is not available: asked again at the next release.
    }
    this.added = undefined;
  }
}

/** Names of collections. Each write looks one up, so the names are not joined. */
class CollectionNames {
  size = 0;
  private readonly byIndex = new Map<string, Set<string>>();

  has(index: string, collection: string): boolean {
    return this.byIndex.get(index)?.has(collection) === true;
  }

  add(index: string, collection: string): void {
    const known = this.byIndex.get(index);
    if (known === undefined) this.byIndex.set(index, new Set([collection]));
    else if (known.has(collection)) return;
    else known.add(collection);
    this.size++;
  }
}
