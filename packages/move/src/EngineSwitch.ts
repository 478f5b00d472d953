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

/** Exchanges the engine that a server's services call. */
export interface EngineSwitch {
  /** The engine that services call, whichever is in use. */
  readonly registered: StorageEngine;
  /** @param writer makes the changes of the data. Default: `engine` */
  use(engine: StorageEngine, writer?: WritingEngine): void;
  /** Whether the changes of data go to `writer`. */
  isWrittenBy(writer: WritingEngine): boolean;
}
