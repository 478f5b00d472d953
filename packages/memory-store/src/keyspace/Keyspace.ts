import { DueQueue, type Clock } from '@millrace/kernel';
import type { Entry } from './Entry.js';
import { failure, WRONG_TYPE } from './failure.js';
import type { Steps } from '../steps/Steps.js';
import { ByteBuffer } from './values/ByteBuffer.js';
import { IndexedTable } from './values/IndexedTable.js';
import { sizeOf, type Collection, type Value } from './values/Value.js';

/** Observes changes of keys. */
export interface KeyspaceObserver {
  /** A key is about to change or be removed: its current content is still present. */
  beforeChange(entry: Entry): void;
  /** Whether it still needs the current content of a key that is too large for `beforeChange`. */
  isUnsaved(entry: Entry): boolean;
  /** Saves the current content of such a key. */
  save(entry: Entry): Steps<void>;
  /** All keys are about to be removed. */
  beforeClear(): void;
}

/** Estimated bytes of a key in addition to its name and value. */
const ENTRY_BYTES = 152;
const SAMPLE_COUNT = 8;
const NONE: readonly Entry[] = [];
const STALE_PLACES = 1_024;

type Class<T> = abstract new (...args: never[]) => T;

/**
 * All keys with their values, expiry times and estimated sizes. Commands read and change keys only through this class,
 * which ensures the rest: expired keys are invisible, watches detect changes, and the log records effects.
 */
export class Keyspace {
  private readonly table = new IndexedTable<Entry>();
  private readonly expiries = new DueQueue<string>();
  private readonly watchers = new Map<string, Set<{ isDirty: boolean }>>();
  private expiringCount = 0;
  private observer: KeyspaceObserver | undefined;

  /** Changes since the command began: a command without changes is not logged. */
  changeCount = 0;
  /** Written to the log instead of the running command, if repeating the command would not have the same effect. */
  effects: readonly (readonly string[])[] | undefined;
  /** Keys found expired, for the log; they were removed before the running command. */
  readonly expiredKeys: string[] = [];
  /** Keys that may now serve a waiting call. */
  readonly readyKeys = new Set<string>();
  /** True while the log is read: keys don't expire until the log says so. */
  isLoading = false;
  usedBytes = 0;
  peakBytes = 0;
  /** Number of the current or last rewrite. */
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

  /** The large keys among a command's words that the observer needs in their current state. */
  unsaved(words: readonly string[], isWriter: boolean): readonly Entry[] {
    const { observer } = this;
    if (observer === undefined) return NONE;
    const entries = new Set<Entry>();
    for (const word of words) {
      const entry = this.table.get(word);
      // A read command also removes expired keys.
      if (entry === undefined || !(isWriter || this.isExpired(entry))) continue;
      if (observer.isUnsaved(entry)) entries.add(entry);
    }
    return [...entries];
  }

  *save(entry: Entry): Steps<void> {
    if (this.observer !== undefined) yield* this.observer.save(entry);
  }

  /** Estimated bytes of the keys that a command names, for deciding whether it may take long. */
  bytesOf(words: readonly string[]): number {
    return words.reduce((sum, word) => sum + (this.table.get(word)?.countedBytes ?? 0), 0);
  }

  get expiring(): number {
    return this.expiringCount;
  }

  get nowMs(): number {
    return this.clock.nowMs();
  }

  /** The entry of a key; an expired one is removed and not returned. */
  find(key: string): Entry | undefined {
    const entry = this.table.get(key);
    if (entry === undefined) return undefined;
    if (entry.expiresAtMs !== 0 && this.isExpired(entry)) {
      this.expire(entry);
      return undefined;
    }
    return entry;
  }

  /** As `find`, and marks the key as used. */
  use(key: string): Entry | undefined {
    const entry = this.find(key);
    if (entry !== undefined) entry.lastUsedMs = this.nowMs;
    return entry;
  }

  /** The stored string of a key. @throws WRONGTYPE */
  stringValue(key: string): string | ByteBuffer | undefined {
    const value = this.use(key)?.value;
    if (value === undefined || typeof value === 'string' || value instanceof ByteBuffer) return value;
    throw failure(WRONG_TYPE);
  }

  /** The string of a key as a byte string. @throws WRONGTYPE */
  string(key: string): string | undefined {
    const value = this.stringValue(key);
    return value instanceof ByteBuffer ? value.toByteText() : value;
  }

  /** The collection of a key, for reading. @throws WRONGTYPE */
  collection<T extends Collection>(key: string, kind: Class<T>): T | undefined {
    const value = this.use(key)?.value;
    if (value === undefined) return undefined;
    if (value instanceof kind) return value;
    throw failure(WRONG_TYPE);
  }

  /** Announces that the value of a key is about to be changed in place. */
  willChange(key: string): void {
    const entry = this.table.get(key);
    if (entry !== undefined) this.observer?.beforeChange(entry);
  }

  /** The collection of a key, for changing it in place; call `changed` afterwards. @throws WRONGTYPE */
  changing<T extends Collection>(key: string, kind: Class<T>): T | undefined {
    const found = this.collection(key, kind);
    if (found !== undefined) this.willChange(key);
    return found;
  }

  /** As `changing`; creates the collection if absent. */
  changingOrNew<T extends Collection>(key: string, kind: new () => T): T {
    const found = this.changing(key, kind);
    if (found !== undefined) return found;
    const made = new kind();
    this.add(key, made, 0);
    return made;
  }

  /** Reports that a key was changed in place; an empty collection is removed (except a stream). */
  changed(key: string): void {
    const entry = this.table.get(key);
    if (entry === undefined) return;
    this.noteChange(key);
    const { value } = entry;
    if (typeof value !== 'string' && 'size' in value && value.type !== 'stream' && value.size === 0) {
      this.drop(entry);
      return;
    }
    this.count(entry);
  }

  /** Sets a key to a value. Its expiry is removed unless `keepsExpiry` is set. */
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

  /** @returns true if the key existed */
  delete(key: string): boolean {
    const entry = this.find(key);
    if (entry === undefined) return false;
    this.observer?.beforeChange(entry);
    this.noteChange(key);
    this.drop(entry);
    return true;
  }

  /** Sets the expiry of a key, in UTC milliseconds; 0: never. */
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
    for (const { key, value } of this.table.values()) if (value.expiresAtMs === 0 || !this.isExpired(value)) yield key;
  }

  /** A random key that has not expired. */
  randomKey(): string | undefined {
    for (;;) {
      const row = this.table.random();
      if (row === undefined || this.find(row.key) !== undefined) return row?.key;
    }
  }

  /** The entry at a position, for walks from the last to the first (see `IndexedTable`). */
  entryAt(place: number): Entry | undefined {
    return this.table.rowAt(place)?.value;
  }

  get placeCount(): number {
    return this.table.placeCount;
  }

  /** Removes expired keys, for at most this long. @returns false if more are due */
  expireDue(budgetMs: number): boolean {
    const endMs = this.clock.monotonicMs() + budgetMs;
    if (this.expiries.size > 2 * this.expiringCount + STALE_PLACES) {
      this.expiries.retain(({ item, dueMs }) => this.table.get(item)?.expiresAtMs === dueMs);
    }
    for (let taken = 1; ; taken++) {
      const due = this.expiries.takeDue(this.nowMs);
      if (due === undefined) return true;
      const entry = this.table.get(due.item);
      if (entry !== undefined && entry.expiresAtMs === due.dueMs) {
        if (this.observer?.isUnsaved(entry) === true) {
          // The walk of the rewrite will reach it soon.
          this.expiries.push(due.dueMs, due.item);
          return true;
        }
        this.expire(entry);
      }
      if (taken % 64 === 0 && this.clock.monotonicMs() > endMs) return false;
    }
  }

  /** Evicts the least recently used of some random keys. @returns its name */
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

  /** Records a change of a key for the log. */
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
