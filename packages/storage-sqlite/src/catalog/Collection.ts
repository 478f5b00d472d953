import type { CollectionName } from '@millrace/kernel';
import type { CollectionMapping } from './CollectionMapping.js';

/** What the main thread knows of one collection. */
export interface Collection {
  readonly name: CollectionName;
  readonly mapping: CollectionMapping;
  /** Names its tables. A truncate changes it. */
  k: number;
  /** The version of the mapping that is known to be on disk. */
  savedMappingVersion: number;
  /** Former numbers whose documents open cursors still read. */
  readonly formerKs: Set<number>;
}
