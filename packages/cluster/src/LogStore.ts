import type { StreamEntry } from './redis/RedisStream.js';

/** What the change log needs of its stream in addition to appending. All methods reject while the stream is unavailable. */
export interface LogStore {
  /** The next entries from an id (after it: with `(` in front) up to another. */
  range(from: string, upTo: string, count: number): Promise<readonly StreamEntry[]>;
  firstId(): Promise<string>;
  lastId(): Promise<string>;
  /** Size of the stream, in bytes. */
  bytes(): Promise<number>;
  /** Removes the entries before one. */
  trimBefore(id: string): Promise<void>;
  trimOlderThan(ageMs: number): Promise<void>;
  /** The epoch, which is `fresh` if there is none. */
  epoch(fresh: string): Promise<string>;
  /** The recorded collections: keys and values. */
  covers(): Promise<readonly (readonly [string, string])[]>;
  putCover(key: string, value: string): Promise<void>;
  dropCover(key: string): Promise<void>;
}
