import { run } from '../connection.js';
import { useLoad, type Loaded } from '../kit/useLoad.js';

/** An index with its collections. */
export interface IndexEntry {
  readonly name: string;
  readonly collections: readonly CollectionEntry[];
}

/** A collection of the list; `realtime`: it has rooms, but no documents. */
export interface CollectionEntry {
  readonly name: string;
  readonly type: 'stored' | 'realtime';
}

/** Beyond this many indexes the rest is left out: the list would take long to read. */
const MAX_INDEXES = 200;

/** The indexes and collections that the user may list. */
export function useCollections(): Loaded<readonly IndexEntry[]> {
  return useLoad(async (signal) => {
    const { indexes } = await run<{ indexes: string[] }>('index.list', {}, { signal });
    return Promise.all(
      indexes.slice(0, MAX_INDEXES).map(async (name) => {
        const list = run<{ collections: CollectionEntry[] }>('collection.list', { index: name }, { signal });
        // An index whose collections the user may not list is shown without them.
        const { collections } = await list.catch(() => ({ collections: [] }));
        // A collection with documents has rooms too.
        const stored = new Set(collections.flatMap((each) => (each.type === 'stored' ? [each.name] : [])));
        return { name, collections: collections.filter((each) => each.type === 'stored' || !stored.has(each.name)) };
      }),
    );
  }, []);
}
