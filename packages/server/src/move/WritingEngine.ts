import type { StorageEngine } from '@millrace/kernel';

/** The methods of an engine that change its data. */
export type WritingEngine = Pick<
  StorageEngine,
  | 'write'
  | 'createIndex'
  | 'deleteIndex'
  | 'setIndexSettings'
  | 'createCollection'
  | 'deleteCollection'
  | 'truncate'
  | 'updateMapping'
>;
