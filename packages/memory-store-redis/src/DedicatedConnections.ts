import { RedisConnection, type ConnectionOptions } from './RedisConnection.js';

/** Maximum number of idle connections kept open. */
const MAX_IDLE = 8;

/** Connections for exclusive use: blocking waits and transactions (MEM-41). The service limits their number. */
export class DedicatedConnections {
  private readonly idle: RedisConnection[] = [];
  private readonly used = new Set<RedisConnection>();
  private isClosed = false;

  constructor(private readonly options: Omit<ConnectionOptions, 'isShared' | 'onError'>) {}

  /** @throws memory.unavailable */
  async take(): Promise<RedisConnection> {
    const connection = this.idle.pop() ?? (await this.open());
    this.used.add(connection);
    return connection;
  }

  /** Returns a connection in its initial state; others are closed with `drop`. */
  giveBack(connection: RedisConnection): void {
    if (!this.used.delete(connection)) return;
    if (this.isClosed || this.idle.length >= MAX_IDLE) connection.destroy();
    else this.idle.push(connection);
  }

  drop(connection: RedisConnection): void {
    this.used.delete(connection);
    const at = this.idle.indexOf(connection);
    if (at >= 0) this.idle.splice(at, 1);
    connection.destroy();
  }

  close(): void {
    this.isClosed = true;
    for (const connection of [...this.idle, ...this.used]) this.drop(connection);
  }

  private async open(): Promise<RedisConnection> {
    const lost: { connection?: RedisConnection } = {};
    const connection = await RedisConnection.open({
      ...this.options,
      isShared: false,
      // An idle one that Redis closed must not be used again.
      onError: () => {
        if (lost.connection !== undefined) this.drop(lost.connection);
      },
    });
    lost.connection = connection;
    return connection;
  }
}
