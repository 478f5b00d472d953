import type { CollectionName } from '@millrace/kernel';
import type { CollectionMapping } from './CollectionMapping.js';

/** State of one collection on the main thread. */
export interface Collection {
  readonly name: CollectionName;
  readonly mapping: CollectionMapping;
  /** Number in the names of its tables. A truncate changes it. */
  number: number;
  /** Version of the mapping that is known to be on disk. */
  savedMappingVersion: number;
  /** Former numbers whose documents open cursors still read. */
  readonly formerNumbers: Set<number>;
}
