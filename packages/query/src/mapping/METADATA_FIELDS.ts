import type { LeafType } from './Mapping.js';

/**
 * The metadata that the service stores with each document, as fields with their types. A mapping never names them and
 * no pattern matches them: only these exact names refer to them (SEARCH-72).
 */
export const METADATA_FIELDS: ReadonlyMap<string, LeafType> = new Map<string, LeafType>([
  ['_meta.createdAt', 'date'],
  ['_meta.updatedAt', 'date'],
  ['_meta.author', 'keyword'],
  ['_meta.updater', 'keyword'],
]);
