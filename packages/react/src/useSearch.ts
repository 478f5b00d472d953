import type { FollowedResult } from '@millrace/client/follow';
import type { LiveState } from './LiveView.js';
import { useView } from './useView.js';
import {
  followedView,
  searchView,
  type FollowableCollection,
  type LiveCollection,
  type PageOf,
  type SearchOf,
  type SearchOptions,
} from './views.js';

/** Options of `useSearch` that have the server keep the result up to date, as `useFollow`. */
export interface LiveSearchOptions {
  /** Needs `follow()` of `@millrace/client/follow`. */
  readonly live: true;
}

/**
 * The result of a search, read again when documents change: at once, and once for all changes that arrive meanwhile.
 * Components with the same search share it.
 */
export function useSearch<T>(
  collection: LiveCollection<T>,
  search?: SearchOf<T>,
  options?: SearchOptions,
): LiveState<PageOf<T>>;
/** With `live: true` the server keeps the result up to date: `useFollow`. */
export function useSearch<T>(
  collection: FollowableCollection<T>,
  search: SearchOf<T>,
  options: LiveSearchOptions,
): LiveState<FollowedResult<T>>;
export function useSearch<T>(
  collection: LiveCollection<T>,
  search: SearchOf<T> = {},
  options: SearchOptions | LiveSearchOptions = {},
): LiveState<PageOf<T>> | LiveState<FollowedResult<T>> {
  return useView<PageOf<T> | FollowedResult<T>>(
    'live' in options
      ? followedView(collection as FollowableCollection<T>, search, {})
      : searchView(collection, search, options),
  ) as LiveState<PageOf<T>>;
}

/** Searches on a server, for `dehydrate`. */
export function prefetchSearch<T>(
  collection: LiveCollection<T>,
  search: SearchOf<T> = {},
  options: SearchOptions = {},
): Promise<void> {
  return searchView(collection, search, options).prefetch();
}
