export { prefetchDocument, useDocument } from './useDocument.js';
export { prefetchFollow, useFollow } from './useFollow.js';
export { prefetchSearch, useSearch, type LiveSearchOptions } from './useSearch.js';
export { useConnection } from './useConnection.js';
export { usePresence } from './usePresence.js';
export { useSubscription } from './useSubscription.js';
export { dehydrate, hydrate } from './hydration.js';
export type { Dehydrated } from './LiveViews.js';
export type { LiveState, Seed } from './LiveView.js';
export type {
  FollowableCollection,
  LiveCollection,
  PageOf,
  SearchOf,
  SearchOptions,
  UseFollowOptions,
} from './views.js';
