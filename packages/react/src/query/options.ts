import type { Document } from '@millrace/client';
import type { LiveSource } from '../subscribed.js';
import { documentSource, searchSource } from '../sources.js';
import type { LiveCollection, PageOf, SearchOf, SearchOptions } from '../views.js';

/** What `useQuery` of TanStack Query takes, for data that `connect` keeps up to date. */
export interface LiveQueryOptions<D> {
  readonly queryKey: readonly unknown[];
  readonly queryFn: (context: { readonly signal: AbortSignal }) => Promise<D>;
  readonly meta: { readonly millrace: LiveSource<D> };
}

/**
 * The options of a query whose data is the page of a search: `useQuery(searchOptions(stations, { query }))`.
 * @param options `filter`: documents whose changes can change the result; default: all of the collection
 */
export function searchOptions<T>(
  collection: LiveCollection<T>,
  search: SearchOf<T> = {},
  options: SearchOptions = {},
): LiveQueryOptions<PageOf<T>> {
  const { index, name } = collection;
  return {
    queryKey: ['millrace', 'search', index, name, search, options],
    queryFn: ({ signal }) => collection.search(search, { signal }),
    meta: { millrace: searchSource(collection, search, options) },
  };
}

/** The options of a query whose data is a document; null if it is absent. */
export function documentOptions<T>(collection: LiveCollection<T>, id: string): LiveQueryOptions<Document<T> | null> {
  const { index, name } = collection;
  return {
    queryKey: ['millrace', 'document', index, name, id],
    queryFn: ({ signal }) => collection.get(id, { signal }),
    meta: { millrace: documentSource(collection, id) },
  };
}
