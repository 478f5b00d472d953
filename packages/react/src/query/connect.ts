import type { LiveSource } from '../subscribed.js';
import type { QueryClientLike, QueryLike } from './QueryClientLike.js';
import { WatchedQuery } from './WatchedQuery.js';

/** How long a query without components stays subscribed: they are mounted again in StrictMode and at changes of routes. */
const LINGER_MS = 5_000;

/**
 * Keeps the queries of `searchOptions` and `documentOptions` up to date while components use them: by a subscription
 * each. A document is written into the cache, a search is read again.
 * @returns the function that ends it
 */
export function connect(queryClient: QueryClientLike): () => void {
  const cache = queryClient.getQueryCache();
  const watched = new Map<QueryLike, WatchedQuery>();
  const close = (query: QueryLike) => {
    watched.get(query)?.close();
    watched.delete(query);
  };
  const look = (query: QueryLike) => {
    const source = query.meta?.['millrace'] as LiveSource<unknown> | undefined;
    if (source === undefined) return;
    const isUsed = query.getObserversCount() > 0;
    if (isUsed && !watched.has(query)) watched.set(query, new WatchedQuery(queryClient, query, source));
    if (isUsed || !watched.has(query)) return;
    const timer = setTimeout(() => {
      if (query.getObserversCount() === 0) close(query);
    }, LINGER_MS);
    (timer as unknown as { unref?: () => void }).unref?.();
  };
  const unsubscribe = cache.subscribe(({ type, query }) => {
    if (type === 'removed') close(query);
    if (type === 'observerAdded' || type === 'observerRemoved') look(query);
  });
  for (const query of cache.getAll()) look(query);
  return () => {
    unsubscribe();
    for (const query of [...watched.keys()]) close(query);
  };
}
