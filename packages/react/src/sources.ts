import type { Document } from '@millrace/client';
import type { LiveSource } from './LiveView.js';
import type { LiveCollection, PageOf, SearchOf, SearchOptions } from './views.js';

export function documentSource<T>(
  collection: LiveCollection<T>,
  id: string,
): LiveSource<Document<T> | null> {
  const filter = { ids: { values: [id] } };
  return {
    read: () => collection.get(id),
    position: () => positionOf(collection, filter),
    subscribe: (cursor) => subscribe(collection, filter, cursor),
    apply: (event) => {
      if (event.kind === 'left') return null;
      if (event.kind !== 'changed') return undefined;
      const { version, source, meta } = event;
      return { id, version, source: source as T, meta };
    },
  };
}

export function searchSource<T>(
  collection: LiveCollection<T>,
  search: SearchOf<T>,
  { filter = {} }: SearchOptions,
): LiveSource<PageOf<T>> {
  return {
    read: () => collection.search(search),
    position: () => positionOf(collection, filter),
    subscribe: (cursor) => subscribe(collection, filter, cursor),
    apply: () => undefined,
  };
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
