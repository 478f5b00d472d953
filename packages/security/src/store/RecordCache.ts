/*
 * Cache of records by id that are read often and changed seldom. Problem: a read that begins before a change and ends
 * after it must not put the old record back. Idea: each drop starts a new epoch, and the result of a read is cached
 * only if the epoch hasn't changed since it began. Absent records aren't cached: ids invented by callers must not
 * evict records in use.
 */
import { isThenable, type MaybePromise } from '@millrace/kernel';

/**
 * A bounded cache in front of a store; the oldest entry is evicted first. Returns a value, not a promise, for cached
 * records.
 */
export class RecordCache<T> {
  private readonly entries = new Map<string, T>();
  private epoch = 0;

  constructor(
    private readonly maxCount: number,
    private readonly load: (id: string) => MaybePromise<T | null>,
  ) {}

  /** The record, if it is cached. */
  known(id: string): T | undefined {
    return this.entries.get(id);
  }

  get(id: string): MaybePromise<T | null> {
    return this.entries.get(id) ?? this.reload(id);
  }

  /** Reads the record, cached or not. */
  reload(id: string): MaybePromise<T | null> {
    const { epoch } = this;
    const loaded = this.load(id);
    if (!isThenable(loaded)) return this.keep(id, loaded, epoch);
    return loaded.then((record) => this.keep(id, record, epoch));
  }

  drop(id: string): void {
    this.epoch++;
    this.entries.delete(id);
  }

  dropAll(): void {
    this.epoch++;
    this.entries.clear();
  }

  private keep(id: string, record: T | null, epoch: number): T | null {
    if (record === null || epoch !== this.epoch) return record;
    if (this.entries.size >= this.maxCount) {
      for (const oldest of this.entries.keys()) {
        this.entries.delete(oldest);
        break;
      }
    }
    this.entries.set(id, record);
    return record;
  }
}
