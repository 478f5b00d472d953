import type { LiveState } from './LiveView.js';
import { useView } from './useView.js';
import { searchView, type LiveCollection, type PageOf, type SearchOf, type SearchOptions } from './views.js'; // prettier-ignore

/**
 * The result of a search, read again when documents change: at once, and once for all changes that arrive meanwhile.
 * Components with the same search share it.
 */
export function useSearch<T>(
  collection: LiveCollection<T>,
  search: SearchOf<T> = {},
  options: SearchOptions = {},
): LiveState<PageOf<T>> {
  return useView(searchView(collection, search, options));
}

/** Searches on a server, for `dehydrate`. */
export function prefetchSearch<T>(
  collection: LiveCollection<T>,
  search: SearchOf<T> = {},
  options: SearchOptions = {},
): Promise<void> {
  return searchView(collection, search, options).prefetch();
}
