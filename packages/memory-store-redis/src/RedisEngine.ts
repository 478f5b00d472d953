import {
  memoryErrors,
  type EngineDescription,
  type Logger,
  type MemoryCommand,
  type MemoryReply,
  type MemoryStoreEngine,
  type MemoryTransaction,
} from '@millrace/kernel';
import type { RedisMemoryStoreConfig } from './RedisMemoryStoreConfig.js';
import { databaseOf } from './databaseOf.js';
import { DedicatedConnections } from './DedicatedConnections.js';
import { readReply, toRegisteredError } from './readReply.js';
import { RedisConnection } from './RedisConnection.js';
import { RedisTransaction } from './RedisTransaction.js';

/** The dependencies of the engine. */
export interface RedisEngineParts {
  readonly config: RedisMemoryStoreConfig;
  readonly logger: Logger;
}

const SCAN_COUNT = '1000';

/**
 * Redis as engine of the memory store. All commands are pipelined on one shared connection; blocking waits and
 * transactions use dedicated ones. See `MemoryStoreEngine` for the contract of each method.
 */
export class RedisEngine implements MemoryStoreEngine {
  readonly isShared = true;
  private shared: RedisConnection | undefined;
  private readonly dedicated: DedicatedConnections;

  constructor(private readonly parts: RedisEngineParts) {
    this.dedicated = new DedicatedConnections({ config: parts.config });
  }

  /** @throws memory.unavailable if Redis can't be reached */
  async start(): Promise<void> {
    const { config, logger } = this.parts;
    let isLost = false;
    this.shared ??= await RedisConnection.open({
      config,
      isShared: true,
      onError: (error) => {
        if (isLost) return;
        isLost = true;
        const reason = error instanceof Error ? error.message : String(error);
        logger.warn({ reason }, 'memory store: the connection to Redis is lost');
      },
      onReady: () => {
        if (!isLost) return;
        isLost = false;
        logger.info({}, 'memory store: connected to Redis again');
      },
    });
  }

  async stop(): Promise<void> {
    this.dedicated.close();
    this.shared?.destroy();
    this.shared = undefined;
  }

  async describe(): Promise<EngineDescription> {
    const text = await this.run(['INFO']).catch(() => '');
    const valueOf = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(String(text))?.[1] ?? '';
    const bytes = (name: string) => (valueOf(name) === '' ? null : Number(valueOf(name)));
    return {
      type: 'redis',
      version: valueOf('redis_version'),
      mode: valueOf('redis_mode') === '' ? 'unknown' : valueOf('redis_mode'),
      memoryUsed: bytes('used_memory'),
      memoryPeak: bytes('used_memory_peak'),
    };
  }

  async ping(): Promise<void> {
    await this.run(['PING']);
  }

  async run(command: MemoryCommand): Promise<MemoryReply> {
    const [name] = command;
    const { shared } = this;
    if (shared === undefined) throw memoryErrors.unavailable({ reason: 'it is not started' });
    if (name === 'KEYS') return this.scan(String(command[1] ?? ''), shared);
    return this.send(shared, command);
  }

  async block(command: MemoryCommand, signal: AbortSignal): Promise<MemoryReply> {
    const connection = await this.take();
    const abort = () => this.dedicated.drop(connection);
    signal.addEventListener('abort', abort, { once: true });
    try {
      if (signal.aborted) abort();
      return await this.send(connection, command);
    } finally {
      signal.removeEventListener('abort', abort);
      this.dedicated.giveBack(connection);
    }
  }

  async openTransaction(): Promise<MemoryTransaction> {
    const connection = await this.take();
    return new RedisTransaction(connection, this.dedicated, (name, reply) => this.finish(name, reply));
  }

  private async take(): Promise<RedisConnection> {
    if (this.shared === undefined) throw memoryErrors.unavailable({ reason: 'it is not started' });
    return this.dedicated.take();
  }

  private async send(connection: RedisConnection, command: MemoryCommand): Promise<MemoryReply> {
    try {
      const [name] = command;
      return this.finish(name, readReply(name, await connection.send(command)));
    } catch (error) {
      throw toRegisteredError(error);
    }
  }

  /** `KEYS` without blocking Redis. */
  private async scan(pattern: string, connection: RedisConnection): Promise<MemoryReply> {
    const keys = new Set<string>();
    let cursor = '0';
    do {
      const command: MemoryCommand = ['SCAN', cursor, 'MATCH', pattern, 'COUNT', SCAN_COUNT];
      const [next, page] = (await this.send(connection, command)) as [string, readonly string[]];
      for (const key of page) keys.add(key);
      cursor = next;
    } while (cursor !== '0');
    return [...keys];
  }

  /** `INFO` without the lines of other databases (MEM-61). */
  private finish(name: string, reply: MemoryReply): MemoryReply {
    if (name !== 'INFO' || typeof reply !== 'string') return reply;
    const own = `db${databaseOf(this.parts.config)}:`;
    const lines = reply.split('\r\n').filter((line) => !/^db\d+:/.test(line) || line.startsWith(own));
    return lines.join('\r\n');
  }
}

/** Creates the engine; it opens nothing before its `start`. */
export function createRedisEngine(parts: RedisEngineParts): MemoryStoreEngine {
  return new RedisEngine(parts);
}
