import type { FollowedResult } from '@millrace/client/follow';
import type { LiveState } from './LiveView.js';
import { useView } from './useView.js';
import { followedView, type FollowableCollection, type SearchOf, type UseFollowOptions } from './views.js';

/**
 * The result of a search that the server keeps up to date: its hits, the total and the aggregations. Hits that have not
 * changed are the same objects. Components with the same search share it. Needs `follow()` of `@millrace/client/follow`.
 */
export function useFollow<T>(
  collection: FollowableCollection<T>,
  search: SearchOf<T> = {},
  options: UseFollowOptions = {},
): LiveState<FollowedResult<T>> {
  return useView(followedView(collection, search, options));
}

/** Searches on a server, for `dehydrate`. */
export function prefetchFollow<T>(
  collection: FollowableCollection<T>,
  search: SearchOf<T> = {},
  options: UseFollowOptions = {},
): Promise<void> {
  return followedView(collection, search, options).prefetch();
}
