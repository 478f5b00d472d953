import type { Collection, Document } from '@millrace/client';
import type { FollowCollection, FollowedResult, FollowOptions } from '@millrace/client/follow';
import type { PresenceList, RealtimeCollection, SubscribeOptions } from '@millrace/client/realtime';
import { followed } from './followed.js';
import { LiveViews } from './LiveViews.js';
import type { LiveView, ViewSource } from './LiveView.js';
import { documentSource, presenceSource, searchSource } from './sources.js';
import { subscribed } from './subscribed.js';

/** A collection of a client with `realtime()`. */
export type LiveCollection<T> = Collection<T> & RealtimeCollection<T>;

/** A collection of a client with `realtime()` and `follow()`. */
export type FollowableCollection<T> = LiveCollection<T> & FollowCollection<T>;

/** What `collection.search` takes. */
export type SearchOf<T> = NonNullable<Parameters<Collection<T>['search']>[0]>;

/** What `collection.search` returns. */
export type PageOf<T> = Awaited<ReturnType<Collection<T>['search']>>;

/** Options of `useSearch`. */
export interface SearchOptions {
  /**
   * Documents whose changes can change the result, as a filter of the real-time filter language. Default: all of the
   * collection.
   */
  readonly filter?: object;
}

/** Options of `useFollow`. */
export type UseFollowOptions = Omit<FollowOptions, 'signal'>;

export function documentView<T>(collection: LiveCollection<T>, id: string): LiveView<Document<T> | null> {
  return viewOf(collection, ['document', id], subscribed(documentSource(collection, id)));
}

export function searchView<T>(
  collection: LiveCollection<T>,
  search: SearchOf<T>,
  options: SearchOptions,
): LiveView<PageOf<T>> {
  const source = searchSource(collection, search, options);
  return viewOf(collection, ['search', search, options], subscribed(source));
}

export function followedView<T>(
  collection: FollowableCollection<T>,
  search: SearchOf<T>,
  options: UseFollowOptions,
): LiveView<FollowedResult<T>> {
  const source = followed(collection, search, options);
  return viewOf(collection, ['follow', search, options], source);
}

export function presenceView<T>(
  collection: LiveCollection<T>,
  filter: object,
  presence: NonNullable<SubscribeOptions['presence']>,
): LiveView<PresenceList> {
  const source = presenceSource(collection, filter, presence);
  return viewOf(collection, ['presence', filter, presence], subscribed(source));
}

function viewOf<T, D>(
  { connection, index, name }: LiveCollection<T>,
  key: readonly unknown[],
  source: ViewSource<D>,
): LiveView<D> {
  return LiveViews.of(connection).view([index, name, ...key], source);
}
