import type { Collection } from '../collection/Collection.js';
import type { Search } from '../collection/Search.js';
import type { Extension } from '../Extension.js';
import { canonicalJson } from '../realtime/canonicalJson.js';
import type { RealtimeClient, RealtimeConnection } from '../realtime/realtime.js';
import type { Followed, FollowedResult } from './Followed.js';
import { SharedFollow } from './SharedFollow.js';

/** Options of `follow`. */
export interface FollowOptions {
  /** Least time between two changes of the result, in milliseconds. Default: as often as the server finds changes. */
  readonly maxRateMs?: number;
  /** Closes it when it is aborted. */
  readonly signal?: AbortSignal;
}

/** What `follow()` adds to a client. */
export interface FollowClient {
  /** Followed searches that are open, by what they follow. */
  readonly followed: ReadonlyMap<string, unknown>;
}

/** What `follow()` adds to a collection. */
export interface FollowCollection<T> {
  /** Searches, and keeps the result up to date. */
  follow<K extends keyof T = keyof T>(
    search?: Search<T, K>,
    options?: FollowOptions,
  ): Followed<[keyof T] extends [K] ? T : Pick<T, K>>;
}

/**
 * Adds followed searches to a client with `realtime()`: `createClient(url).with(realtime()).with(follow())`.
 * @throws TypeError by `with` if the client has no `realtime()`
 */
export function follow(): Extension<'follow'> {
  const open = new Map<string, SharedFollow>();
  let connection: RealtimeConnection;
  return {
    name: 'follow',
    extendClient(client) {
      ({ connection } = client as unknown as RealtimeClient);
      if ((connection as RealtimeConnection | undefined) === undefined) {
        throw new TypeError('follow() needs realtime(): client.with(realtime()).with(follow())');
      }
      return { followed: open };
    },
    extendCollection: (collection): FollowCollection<unknown> => ({
      follow: (search = {}, { signal, ...rest } = {}) => {
        const followed = join(open, collection, { body: search, ...rest }, () => connection);
        if (signal?.aborted === true) followed.close();
        else signal?.addEventListener('abort', () => followed.close(), { once: true });
        return followed;
      },
    }),
  };
}

function join(
  open: Map<string, SharedFollow>,
  collection: Collection<unknown>,
  search: { readonly body: object; readonly maxRateMs?: number },
  connection: () => RealtimeConnection,
): Followed<unknown> {
  const key = canonicalJson({ index: collection.index, name: collection.name, ...search });
  const known = open.get(key);
  const isOpen = known !== undefined && known.status !== 'ended';
  const shared = isOpen ? known : new SharedFollow(collection, connection(), search);
  open.set(key, shared);
  return toFollowed(shared, () => {
    if (open.get(key) === shared) open.delete(key);
    shared.close();
  });
}

function toFollowed(shared: SharedFollow, last: () => void): Followed<unknown> {
  const listeners = new Set<() => void>();
  const listener = () => {
    for (const each of [...listeners]) each();
  };
  shared.listeners.add(listener);
  let isClosed = false;
  const followed: Followed<unknown> = {
    get result() {
      return shared.result;
    },
    get status() {
      return isClosed ? 'ended' : shared.status;
    },
    get error() {
      return isClosed ? undefined : shared.error;
    },
    ready: new Promise<FollowedResult<unknown>>((resolve, reject) => {
      const settle = () => {
        if (shared.result !== undefined) resolve(shared.result);
        else if (shared.status === 'ended') reject(shared.error ?? new Error('closed'));
      };
      listeners.add(settle);
      settle();
    }),
    onChange(each) {
      listeners.add(each);
      return () => listeners.delete(each);
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      listener();
      shared.listeners.delete(listener);
      if (shared.listeners.size === 0) last();
    },
  };
  // Whoever doesn't wait for it reads `error`.
  followed.ready.catch(() => undefined);
  return followed;
}
