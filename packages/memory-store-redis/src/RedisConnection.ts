import { memoryErrors, type MemoryArgument, type MemoryCommand } from '@millrace/kernel';
import type { RedisMemoryStoreConfig } from './RedisMemoryStoreConfig.js';
import { databaseOf } from './databaseOf.js';

/** The used part of the interface of a `redis` client. */
interface Client {
  connect(): Promise<unknown>;
  destroy(): void;
  close(): Promise<void>;
  on(event: 'error', listen: (error: unknown) => void): unknown;
  on(event: 'ready', listen: () => void): unknown;
  sendCommand(args: readonly (string | Buffer)[], options: object): Promise<unknown>;
}

/** Options of a connection. */
export interface ConnectionOptions {
  readonly config: RedisMemoryStoreConfig;
  /** False for connections that wait for minutes and aren't re-established when lost. */
  readonly isShared: boolean;
  /** Also called for each failed attempt to connect again. */
  readonly onError: (error: unknown) => void;
  /** It is connected, for the first time or again. */
  readonly onReady?: () => void;
}

const MAX_RECONNECT_MS = 1_000;

/** One connection to Redis that uses RESP 2 and returns replies without any conversion. */
export class RedisConnection {
  private constructor(
    private readonly client: Client,
    private readonly options: object,
  ) {}

  /** Connects. A shared connection reconnects by itself if it is lost later. @throws memory.unavailable */
  static async open(options: ConnectionOptions): Promise<RedisConnection> {
    const { config, isShared, onError, onReady } = options;
    // Imported here, so that a server with the embedded engine never loads it.
    const { createClient, RESP_TYPES } = await import('redis');
    let isConnected = false;
    const client = createClient({
      url: withoutDatabase(config.url),
      database: databaseOf(config),
      RESP: 2,
      // While Redis is unavailable, commands fail at once instead of queuing up.
      disableOfflineQueue: true,
      ...(isShared ? { pingInterval: Math.floor(config.silenceTimeoutMs / 3) } : undefined),
      socket: {
        connectTimeout: config.connectTimeoutMs,
        ...(isShared ? { socketTimeout: config.silenceTimeoutMs } : undefined),
        reconnectStrategy: (retries: number, cause: Error) =>
          isConnected && isShared ? Math.min(20 * 2 ** retries, MAX_RECONNECT_MS) : cause,
      },
    }) as unknown as Client;
    client.on('error', onError);
    if (onReady !== undefined) client.on('ready', onReady);
    try {
      await client.connect();
    } catch (error) {
      const where = isShared ? ' (configuration memoryStore.redis.url)' : '';
      const reason = `Redis can not be reached${where}`;
      throw memoryErrors.unavailable({ reason }, { cause: error });
    }
    isConnected = true;
    // Integers as strings, so that none is rounded; strings as bytes, to distinguish them from integers.
    const typeMapping = {
      [RESP_TYPES.NUMBER]: String,
      [RESP_TYPES.BLOB_STRING]: Buffer,
      [RESP_TYPES.SIMPLE_STRING]: Buffer,
    };
    return new RedisConnection(client, { typeMapping });
  }

  send(command: MemoryCommand): Promise<unknown> {
    return this.client.sendCommand(command.map(toRedisWord), this.options);
  }

  /** Closes it at once; pending commands are rejected. */
  destroy(): void {
    try {
      this.client.destroy();
    } catch {
      // It was closed already.
    }
  }
}

function toRedisWord(word: MemoryArgument): string | Buffer {
  return typeof word === 'string' ? word : Buffer.from(word);
}

/** The client would use the URL's database instead of the configured one. */
function withoutDatabase(address: string): string {
  const url = new URL(address);
  url.pathname = '';
  return url.href;
}
