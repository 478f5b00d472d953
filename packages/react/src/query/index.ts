export { connect } from './connect.js';
export { documentOptions, searchOptions } from './options.js';
export type { LiveQueryOptions } from './options.js';
export type { QueryCacheLike, QueryClientLike, QueryLike } from './QueryClientLike.js';
