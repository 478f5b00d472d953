import type { Query } from './Query.js';

/** The query that finds all documents. */
export const EVERY_DOCUMENT: Query = { kind: 'match_all', path: '', boost: 1 };
