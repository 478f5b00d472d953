import { useEffect, useState } from 'preact/hooks';
import { client } from '../connection.js';
import { toHash } from '../shell/route.js';
import type { IndexEntry } from './useCollections.js';

/** Counts are read for this many collections. */
const MAX_COUNTS = 40;
const NUMBER = new Intl.NumberFormat();

/** The list of collections by index, with a filter and the number of documents. */
export function CollectionTree({
  indexes,
  current,
  onCreate,
}: {
  readonly indexes: readonly IndexEntry[];
  /** `index/collection`; empty: none. */
  readonly current: string;
  readonly onCreate: (() => void) | undefined;
}) {
  const [filter, setFilter] = useState('');
  const counts = useCounts(indexes);
  const isShown = (name: string) => name.toLowerCase().includes(filter.toLowerCase());
  return (
    <>
      <div class="side-head">
        <input
          type="search"
          aria-label="Filter collections"
          placeholder="Filter"
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
        {onCreate !== undefined && (
          <button type="button" class="icon" aria-label="New collection" title="New collection" onClick={onCreate}>
            +
          </button>
        )}
      </div>
      <nav class="tree" aria-label="Collections by index">
        {indexes.map(({ name, collections }) => {
          const shown = collections.filter((each) => isShown(`${name}/${each.name}`));
          if (shown.length === 0 && !isShown(name)) return null;
          return (
            <section key={name}>
              <h2>
                <bdi>{name}</bdi>
              </h2>
              {shown.length === 0 && <p class="soft small">no collections</p>}
              {shown.map((each) => {
                const path = `${name}/${each.name}`;
                const count = counts[path];
                return (
                  <a
                    key={each.name}
                    href={toHash(['data', name, each.name])}
                    aria-current={path === current ? 'page' : undefined}
                  >
                    <bdi>{each.name}</bdi>
                    <span class="count">
                      {each.type === 'realtime' ? 'room' : count === undefined ? '' : NUMBER.format(count)}
                    </span>
                  </a>
                );
              })}
            </section>
          );
        })}
      </nav>
    </>
  );
}

/** The number of documents by `index/collection`, as they arrive. */
function useCounts(indexes: readonly IndexEntry[]): Readonly<Record<string, number>> {
  const [counts, setCounts] = useState<Readonly<Record<string, number>>>({});
  useEffect(() => {
    const abort = new AbortController();
    const stored = indexes.flatMap(({ name, collections }) =>
      collections.flatMap((each) => (each.type === 'stored' ? [[name, each.name] as const] : [])),
    );
    for (const [index, collection] of stored.slice(0, MAX_COUNTS)) {
      client
        .collection(index, collection)
        .count(undefined, { signal: abort.signal })
        .then((count) => setCounts((last) => ({ ...last, [`${index}/${collection}`]: count })))
        // Without the right to count there is no number.
        .catch(() => undefined);
    }
    return () => abort.abort();
  }, [indexes]);
  return counts;
}
