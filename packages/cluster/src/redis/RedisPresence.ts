import type { Logger } from '@millrace/kernel';

/** Logs one line when the Redis of the cluster is unavailable and one when it is back, for all connections of this node. */
export class RedisPresence {
  private readonly away = new Set<object>();

  constructor(private readonly log: Logger) {}

  /** A connection is lost, or an attempt to open it again has failed. */
  lost(connection: object, reason: string): void {
    const isFirst = this.away.size === 0;
    this.away.add(connection);
    if (isFirst) this.log.warn({ reason }, 'the Redis of the cluster is unavailable');
  }

  back(connection: object): void {
    if (this.away.delete(connection) && this.away.size === 0) this.log.info({}, 'the Redis of the cluster is back');
  }

  /** A connection is closed. */
  forget(connection: object): void {
    this.away.delete(connection);
  }
}
