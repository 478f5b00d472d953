/*
 * Records read often and changed seldom, by id. Problem: a read that began before a change and ends after it must not
 * put the old record back. Idea: each drop makes a new epoch, and a read keeps its result only where the epoch is still
 * the one it began in. What is absent isn't kept: names that anybody can make up must not push out what is used.
 */
import { isThenable, type MaybePromise } from '@millrace/kernel';

/** A bounded cache in front of a store; the oldest entry leaves first. Answers with a value where it has one. */
export class RecordCache<T> {
  private readonly entries = new Map<string, T>();
  private epoch = 0;

  constructor(
    private readonly maxCount: number,
    private readonly load: (id: string) => MaybePromise<T | null>,
  ) {}

  get(id: string): MaybePromise<T | null> {
    const known = this.entries.get(id);
    if (known !== undefined) return known;
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
