import type { Clock } from '@millrace/kernel';
import type { Entry } from './Entry.js';
import { ExpiryQueue } from './ExpiryQueue.js';
import { failure, WRONG_TYPE } from './failure.js';
import type { Steps } from '../steps/Steps.js';
import { ByteBuffer } from './values/ByteBuffer.js';
import { IndexedTable } from './values/IndexedTable.js';
import { sizeOf, type Collection, type Value } from './values/Value.js';

/** Observes what happens to keys. */
export interface KeyspaceObserver {
  /** A key is about to change or go: its present content is still there. */
  beforeChange(entry: Entry): void;
  /** Does it still need the present content of a key that is too large for `beforeChange`? */
  isUnsaved(entry: Entry): boolean;
  /** Takes the present content of such a key. */
  save(entry: Entry): Steps<void>;
  /** All keys are about to go. */
  beforeClear(): void;
}

/** Estimated bytes of a key beside its text and value. */
const ENTRY_BYTES = 152;
const SAMPLE_COUNT = 8;
const NONE: readonly Entry[] = [];
const STALE_PLACES = 1_024;

type Class<T> = abstract new (...args: never[]) => T;

/**
 * All keys with their values, expiry times and estimated sizes. Handlers read and change them through here, so that
 * everything else follows: expired keys are gone for whoever asks, watches notice changes, the log learns what was done.
 */
export class Keyspace {
  private readonly table = new IndexedTable<Entry>();
  private readonly expiries = new ExpiryQueue();
  private readonly watchers = new Map<string, Set<{ isDirty: boolean }>>();
  private expiringCount = 0;
  private observer: KeyspaceObserver | undefined;

  /** Changes since the command began: a command without one is not logged. */
  changeCount = 0;
  /** What the log writes in place of the command that runs, where that would not do the same when it is run again. */
  effects: readonly (readonly string[])[] | undefined;
  /** Keys found expired, for the log; they went before the command that runs. */
  readonly expiredKeys: string[] = [];
  /** Keys that may now serve somebody who waits. */
  readonly readyKeys = new Set<string>();
  /** True while the log is read: keys stay until it says that they went. */
  isLoading = false;
  usedBytes = 0;
  peakBytes = 0;
  /** The rewrite that is under way, or was last. */
  epoch = 0;

  constructor(
    readonly clock: Clock,
    /** Longest string value, in bytes. */
    readonly maxValueBytes: number,
  ) {}

  observe(observer: KeyspaceObserver | undefined): void {
    this.observer = observer;
  }

  get size(): number {
    return this.table.size;
  }

  /** The large keys among the words of a command that the observer needs as they are now. */
  unsaved(words: readonly string[], isWriter: boolean): readonly Entry[] {
    const { observer } = this;
    if (observer === undefined) return NONE;
    const entries = new Set<Entry>();
    for (const word of words) {
      const entry = this.table.get(word);
      // A command that only reads removes what has expired.
      if (entry === undefined || !(isWriter || this.isExpired(entry))) continue;
      if (observer.isUnsaved(entry)) entries.add(entry);
    }
    return [...entries];
  }

  *save(entry: Entry): Steps<void> {
    if (this.observer !== undefined) yield* this.observer.save(entry);
  }

  /** Estimated bytes of the keys that a command names, to tell whether it may take long. */
  bytesOf(words: readonly string[]): number {
    return words.reduce((sum, word) => sum + (this.table.get(word)?.countedBytes ?? 0), 0);
  }

  get expiring(): number {
    return this.expiringCount;
  }

  get nowMs(): number {
    return this.clock.nowMs();
  }

  /** The entry of a key; expired ones are removed and not found. */
  find(key: string): Entry | undefined {
    const entry = this.table.get(key);
    if (entry === undefined) return undefined;
    if (entry.expiresAtMs !== 0 && this.isExpired(entry)) {
      this.expire(entry);
      return undefined;
    }
    return entry;
  }

  /** The same, counting as a use. */
  use(key: string): Entry | undefined {
    const entry = this.find(key);
    if (entry !== undefined) entry.lastUsedMs = this.nowMs;
    return entry;
  }

  /** The string of a key as it is held. @throws WRONGTYPE */
  stringValue(key: string): string | ByteBuffer | undefined {
    const value = this.use(key)?.value;
    if (value === undefined || typeof value === 'string' || value instanceof ByteBuffer)
      return value;
    throw failure(WRONG_TYPE);
  }

  /** The string of a key as a byte string. @throws WRONGTYPE */
  string(key: string): string | undefined {
    const value = this.stringValue(key);
    return value instanceof ByteBuffer ? value.toByteText() : value;
  }

  /** The collection of a key, to be read. @throws WRONGTYPE */
  collection<T extends Collection>(key: string, kind: Class<T>): T | undefined {
    const value = this.use(key)?.value;
    if (value === undefined) return undefined;
    if (value instanceof kind) return value;
    throw failure(WRONG_TYPE);
  }

  /** Announces that the value of a key will be changed in place. */
  willChange(key: string): void {
    const entry = this.table.get(key);
    if (entry !== undefined) this.observer?.beforeChange(entry);
  }

  /** The collection of a key, to be changed in place; call `changed` afterwards. @throws WRONGTYPE */
  changing<T extends Collection>(key: string, kind: Class<T>): T | undefined {
    const found = this.collection(key, kind);
    if (found !== undefined) this.willChange(key);
    return found;
  }

  /** The same, made where it is absent. */
  changingOrNew<T extends Collection>(key: string, kind: new () => T): T {
    const found = this.changing(key, kind);
    if (found !== undefined) return found;
    const made = new kind();
    this.add(key, made, 0);
    return made;
  }

  /** Tells that a key was changed in place; an empty collection goes (but a stream). */
  changed(key: string): void {
    const entry = this.table.get(key);
    if (entry === undefined) return;
    this.noteChange(key);
    const { value } = entry;
    if (
      typeof value !== 'string' &&
      'size' in value &&
      value.type !== 'stream' &&
      value.size === 0
    ) {
      this.drop(entry);
      return;
    }
    this.count(entry);
  }

  /** Sets a key to a value. Its expiry goes unless it is kept. */
  set(key: string, value: Value, keepsExpiry = false): void {
    const entry = this.find(key);
    if (entry === undefined) {
      this.add(key, value, 0);
      this.noteChange(key);
      return;
    }
    this.observer?.beforeChange(entry);
    entry.value = value;
    entry.lastUsedMs = this.nowMs;
    if (!keepsExpiry) this.putExpiry(entry, 0);
    this.noteChange(key);
    if (typeof value !== 'string' && value.type !== 'string') this.readyKeys.add(key);
    this.count(entry);
  }

  /** @returns true where the key was there */
  delete(key: string): boolean {
    const entry = this.find(key);
    if (entry === undefined) return false;
    this.observer?.beforeChange(entry);
    this.noteChange(key);
    this.drop(entry);
    return true;
  }

  /** Lets a key expire at a time in UTC milliseconds; 0: never. */
  setExpiry(entry: Entry, atMs: number): void {
    this.observer?.beforeChange(entry);
    this.putExpiry(entry, atMs);
    this.noteChange(entry.key);
  }

  clear(): void {
    this.observer?.beforeClear();
    for (const key of this.watchers.keys()) if (this.table.has(key)) this.touchWatchers(key);
    this.changeCount += this.table.size;
    this.table.clear();
    this.expiries.clear();
    this.expiringCount = 0;
    this.usedBytes = 0;
  }

  /** Keys that have not expired. */
  *keys(): IterableIterator<string> {
    for (const { key, value } of this.table.values())
      if (value.expiresAtMs === 0 || !this.isExpired(value)) yield key;
  }

  /** Some key that has not expired. */
  randomKey(): string | undefined {
    for (;;) {
      const row = this.table.random();
      if (row === undefined || this.find(row.key) !== undefined) return row?.key;
    }
  }

  /** The entry at a place, for walks from the last place to the first (see `IndexedTable`). */
  entryAt(place: number): Entry | undefined {
    return this.table.rowAt(place)?.value;
  }

  get placeCount(): number {
    return this.table.placeCount;
  }

  /** Removes keys that are due, for at most this long. @returns false where more are due */
  expireDue(budgetMs: number): boolean {
    const endMs = this.clock.monotonicMs() + budgetMs;
    if (this.expiries.length > 2 * this.expiringCount + STALE_PLACES) {
      this.expiries.keep(({ key, atMs }) => this.table.get(key)?.expiresAtMs === atMs);
    }
    for (let taken = 1; ; taken++) {
      const due = this.expiries.takeDue(this.nowMs);
      if (due === undefined) return true;
      const entry = this.table.get(due.key);
      if (entry !== undefined && entry.expiresAtMs === due.atMs) {
        if (this.observer?.isUnsaved(entry) === true) {
          // The walk of the rewrite comes to it soon.
          this.expiries.push(due.atMs, due.key);
          return true;
        }
        this.expire(entry);
      }
      if (taken % 64 === 0 && this.clock.monotonicMs() > endMs) return false;
    }
  }

  /** Drops one key, of some random ones that which was used longest ago. @returns its name */
  evictOne(): string | undefined {
    let oldest: Entry | undefined;
    for (let sample = 0; sample < SAMPLE_COUNT; sample++) {
      const entry = this.table.random()?.value;
      if (entry === undefined) return undefined;
      if (oldest !== undefined && this.observer?.isUnsaved(entry) === true) continue;
      if (oldest === undefined || entry.lastUsedMs < oldest.lastUsedMs) oldest = entry;
    }
    if (oldest !== undefined) this.delete(oldest.key);
    return oldest?.key;
  }

  /** Marks `watch` dirty when the key changes. */
  watch(key: string, watch: { isDirty: boolean }): void {
    this.find(key);
    const watches = this.watchers.get(key) ?? new Set();
    this.watchers.set(key, watches.add(watch));
  }

  unwatch(key: string, watch: { isDirty: boolean }): void {
    const watches = this.watchers.get(key);
    watches?.delete(watch);
    if (watches?.size === 0) this.watchers.delete(key);
  }

  isExpired({ expiresAtMs }: Entry): boolean {
    return expiresAtMs !== 0 && !this.isLoading && expiresAtMs <= this.nowMs;
  }

  /** Tells the log that a key changed. */
  noteChange(key: string): void {
    this.changeCount++;
    if (this.watchers.size > 0) this.touchWatchers(key);
  }

  private add(key: string, value: Value, expiresAtMs: number): void {
    const entry: Entry = {
      key,
      value,
      expiresAtMs,
      lastUsedMs: this.nowMs,
      countedBytes: 0,
      epoch: this.epoch,
    };
    this.table.set(key, entry);
    if (typeof value !== 'string' && value.type !== 'string') this.readyKeys.add(key);
    this.count(entry);
  }

  private expire(entry: Entry): void {
    this.observer?.beforeChange(entry);
    if (this.watchers.size > 0) this.touchWatchers(entry.key);
    this.expiredKeys.push(entry.key);
    this.drop(entry);
  }

  private drop(entry: Entry): void {
    if (entry.expiresAtMs !== 0) this.expiringCount--;
    this.usedBytes -= entry.countedBytes;
    this.table.delete(entry.key);
  }

  private putExpiry(entry: Entry, atMs: number): void {
    if (entry.expiresAtMs !== 0) this.expiringCount--;
    entry.expiresAtMs = atMs;
    if (atMs === 0) return;
    this.expiringCount++;
    this.expiries.push(atMs, entry.key);
  }

  private count(entry: Entry): void {
    const bytes = ENTRY_BYTES + entry.key.length + sizeOf(entry.value);
    this.usedBytes += bytes - entry.countedBytes;
    entry.countedBytes = bytes;
    if (this.usedBytes > this.peakBytes) this.peakBytes = this.usedBytes;
  }

  private touchWatchers(key: string): void {
    for (const watch of this.watchers.get(key) ?? []) watch.isDirty = true;
  }
}
