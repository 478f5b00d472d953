/*
 * Cache of records by id that are read often and changed seldom. Problem: a read that begins before a change and ends
 * after it must not put the old record back. Idea: each drop starts a new epoch, and the result of a read is cached
 * only if the epoch hasn't changed since it began. Absent records aren't cached: ids invented by callers must not
 * evict records in use.
 *
 * Memory: limited by number and by bytes, since users write properties and policies of up to 1 MiB of JSON.
 */
import type { MaybePromise } from '../concurrency/MaybePromise.js';
import { estimateJsonBytes } from '../json/estimateJsonBytes.js';
import { isThenable } from '../concurrency/isThenable.js';

const MAX_BYTES = 64 * 2 ** 20;
/** Of a record without its content, and its place in the cache. */
const BYTES_PER_RECORD = 1_000;

interface Entry<T> {
  readonly record: T;
  readonly bytes: number;
}

/**
 * A bounded cache in front of a store; the oldest entry is evicted first. Returns a value, not a promise, for cached
 * records.
 */
export class RecordCache<T> {
  private readonly entries = new Map<string, Entry<T>>();
  private bytes = 0;
  private epoch = 0;

  constructor(
    private readonly maxCount: number,
    private readonly load: (id: string) => MaybePromise<T | null>,
    /** The part of a record that has no other bound. */
    private readonly contentOf: (record: T) => unknown,
    private readonly maxBytes = MAX_BYTES,
  ) {}

  /** The record, if it is cached. */
  known(id: string): T | undefined {
    return this.entries.get(id)?.record;
  }

  get(id: string): MaybePromise<T | null> {
    return this.entries.get(id)?.record ?? this.reload(id);
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
    this.remove(id);
  }

  dropAll(): void {
    this.epoch++;
    this.entries.clear();
    this.bytes = 0;
  }

  private keep(id: string, record: T | null, epoch: number): T | null {
    if (record === null || epoch !== this.epoch) return record;
    this.remove(id);
    const bytes = BYTES_PER_RECORD + estimateJsonBytes(JSON.stringify(this.contentOf(record)));
    for (const oldest of this.entries.keys()) {
      if (this.entries.size < this.maxCount && this.bytes + bytes <= this.maxBytes) break;
      this.remove(oldest);
    }
    if (bytes > this.maxBytes) return record;
    this.entries.set(id, { record, bytes });
    this.bytes += bytes;
    return record;
  }

  private remove(id: string): void {
    const entry = this.entries.get(id);
    if (entry === undefined) return;
    this.entries.delete(id);
    this.bytes -= entry.bytes;
  }
}
