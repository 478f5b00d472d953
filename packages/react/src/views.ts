import type { Collection, Document } from '@millrace/client';
import type { RealtimeCollection } from '@millrace/client/realtime';
import { LiveViews } from './LiveViews.js';
import type { LiveView } from './LiveView.js';
import { documentSource, searchSource } from './sources.js';

/** A collection of a client with `realtime()`. */
export type LiveCollection<T> = Collection<T> & RealtimeCollection<T>;

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

export function documentView<T>(
  collection: LiveCollection<T>,
  id: string,
): LiveView<Document<T> | null> {
  const { connection, index, name } = collection;
  const key = ['document', index, name, id];
  return LiveViews.of(connection).view(key, documentSource(collection, id));
}

export function searchView<T>(
  collection: LiveCollection<T>,
  search: SearchOf<T>,
  options: SearchOptions,
): LiveView<PageOf<T>> {
  const { connection, index, name } = collection;
  const key = ['search', index, name, search, options.filter ?? {}];
  return LiveViews.of(connection).view(key, searchSource(collection, search, options));
}
