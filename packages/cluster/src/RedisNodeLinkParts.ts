import type { Clock, Logger } from '@millrace/kernel';
import type { ClusterConfig } from './ClusterConfig.js';
import type { LogHistory } from './log/LogLink.js';

/** Dependencies of a link. */
export interface RedisNodeLinkParts {
  readonly config: ClusterConfig;
  /** Prefix of every key in Redis unless the configuration sets another: the name of the server. */
  readonly serviceName: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long the start waits for Redis, in milliseconds. */
  readonly startTimeoutMs: number;
  /** What the change log records. */
  readonly history: LogHistory;
  readonly internalIndex: string;
}
