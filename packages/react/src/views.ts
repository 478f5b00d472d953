import type { Collection, Document } from '@millrace/client';
import type { RealtimeCollection } from '@millrace/client/realtime';
import { LiveViews } from './LiveViews.js';
import type { LiveView } from './LiveView.js';

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
  const filter = { ids: { values: [id] } };
  return LiveViews.of(connection).view(['document', index, name, id], {
    read: () => collection.get(id),
    position: () => positionOf(collection, filter),
    subscribe: (cursor) => subscribe(collection, filter, cursor),
    apply: (event) => {
      if (event.kind === 'left') return null;
      if (event.kind !== 'changed') return undefined;
      const { version, source, meta } = event;
      return { id, version, source: source as T, meta };
    },
  });
}

export function searchView<T>(
  collection: LiveCollection<T>,
  search: SearchOf<T>,
  { filter = {} }: SearchOptions,
): LiveView<PageOf<T>> {
  const { connection, index, name } = collection;
  return LiveViews.of(connection).view(['search', index, name, search, filter], {
    read: () => collection.search(search),
    position: () => positionOf(collection, filter),
    subscribe: (cursor) => subscribe(collection, filter, cursor),
    apply: () => undefined,
  });
}

function subscribe<T>(collection: LiveCollection<T>, filter: object, cursor: string | undefined) {
  return collection.subscribe(filter, cursor === undefined ? {} : { cursor });
}

/** Without a position the page reads the data again. */
async function positionOf<T>({ send, index, name }: LiveCollection<T>, filter: object) {
  const message = { controller: 'realtime', action: 'changes', index, collection: name };
  const response = await send({ ...message, body: filter }).catch(() => undefined);
  return (response?.result as { readonly cursor?: string } | undefined)?.cursor;
}
