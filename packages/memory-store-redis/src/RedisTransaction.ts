import { MillraceError, type MemoryCommand, type MemoryReply, type MemoryTransaction } from '@millrace/kernel';
import type { DedicatedConnections } from './DedicatedConnections.js';
import { readReply, toRegisteredError } from './readReply.js';
import type { RedisConnection } from './RedisConnection.js';

/** A transaction on a dedicated connection: watches first, then one MULTI … EXEC burst. */
export class RedisTransaction implements MemoryTransaction {
  private isClosed = false;

  constructor(
    private readonly connection: RedisConnection,
    private readonly connections: DedicatedConnections,
    private readonly finish: (command: string, reply: MemoryReply) => MemoryReply,
  ) {}

  async watch(keys: readonly string[]): Promise<void> {
    await this.send(['WATCH', ...keys]);
  }

  async unwatch(): Promise<void> {
    await this.send(['UNWATCH']);
  }

  async exec(commands: readonly MemoryCommand[]): Promise<readonly (MemoryReply | MillraceError)[] | null> {
    // All are sent before the first reply, without waiting in between.
    const begun = this.send(['MULTI']);
    const queued = commands.map((command) => this.send(command));
    const done = this.send(['EXEC']);
    await Promise.allSettled([begun, ...queued]);
    const raw = await done;
    if (!Array.isArray(raw)) return null;
    return (raw as readonly unknown[]).map((each, at) => {
      const name = commands[at]?.[0] ?? '';
      if (!(each instanceof Error)) return this.finish(name, readReply(name, each));
      const error = toRegisteredError(each);
      if (error instanceof MillraceError) return error;
      throw error;
    });
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    // The next user of the connection must not inherit the watches.
    this.connection.send(['UNWATCH']).then(
      () => this.connections.giveBack(this.connection),
      () => this.connections.drop(this.connection),
    );
  }

  private async send(command: MemoryCommand): Promise<unknown> {
    try {
      return await this.connection.send(command);
    } catch (error) {
      throw toRegisteredError(error);
    }
  }
}
