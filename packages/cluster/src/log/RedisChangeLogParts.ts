import type { Logger, StorageEngine } from '@millrace/kernel';
import type { LogStore } from '../redis/LogStore.js';
import type { LogHistory, LogLink } from './LogLink.js';

/** Dependencies of `RedisChangeLog`. */
export interface RedisChangeLogParts {
  readonly link: LogLink;
  readonly stream: LogStore;
  readonly history: LogHistory;
  readonly internalIndex: string;
  readonly engine: StorageEngine;
  readonly deadAfterMs: number;
  readonly logger: Logger;
}
