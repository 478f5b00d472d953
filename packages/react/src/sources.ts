import type { Document } from '@millrace/client';
import type { PresenceList, SubscribeOptions, Subscription } from '@millrace/client/realtime';
import type { LiveSource } from './subscribed.js';
import type { LiveCollection, PageOf, SearchOf, SearchOptions } from './views.js';

export function documentSource<T>(collection: LiveCollection<T>, id: string): LiveSource<Document<T> | null> {
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

/** Those in a room can't be read without a connection, and whoever came meanwhile is not reported later. */
export function presenceSource<T>(
  collection: LiveCollection<T>,
  filter: object,
  presence: NonNullable<SubscribeOptions['presence']>,
): LiveSource<PresenceList> {
  let subscription: Subscription<T>;
  let last: PresenceList | undefined;
  return {
    isTransient: true,
    read: async () => (last = await subscription.presence()),
    position: async () => undefined,
    subscribe: () => (subscription = collection.subscribe(filter, { users: 'all', presence })),
    apply: ({ kind }) => (kind === 'users' || kind === 'gap' ? undefined : last),
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
