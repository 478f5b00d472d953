export { prefetchDocument, useDocument } from './useDocument.js';
export { prefetchSearch, useSearch } from './useSearch.js';
export { useConnection } from './useConnection.js';
export { useSubscription } from './useSubscription.js';
export { dehydrate, hydrate } from './hydration.js';
export type { Dehydrated } from './LiveViews.js';
export type { LiveState, Seed } from './LiveView.js';
export type { LiveCollection, PageOf, SearchOf, SearchOptions } from './views.js';
