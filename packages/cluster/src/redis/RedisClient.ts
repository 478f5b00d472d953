import { clusterErrors, type Logger } from '@millrace/kernel';
import type { ClusterConfig } from '../ClusterConfig.js';

/** The part of the `redis` package's client that is used. */
interface Client {
  connect(): Promise<unknown>;
  destroy(): void;
  on(event: 'error' | 'ready', listen: (error: unknown) => void): unknown;
  sendCommand(args: readonly string[]): Promise<unknown>;
}

const MAX_RECONNECT_MS = 500;
const FIRST_RECONNECT_MS = 20;

/** One connection to Redis that reconnects automatically; while disconnected, commands fail at once. */
export class RedisClient {
  private constructor(private readonly client: Client) {}

  /** @throws cluster.unavailable (503) if Redis can't be reached now */
  static async open(config: ClusterConfig['redis'], log: Logger): Promise<RedisClient> {
    // Imported here, so that a server without a cluster doesn't load it.
    const { createClient } = await import('redis');
    let isConnected = false;
    const client = createClient({
      url: config.url,
      RESP: 2,
      disableOfflineQueue: true,
      socket: {
        connectTimeout: config.connectTimeoutMs,
        socketTimeout: config.silenceTimeoutMs,
        reconnectStrategy: (retries: number, cause: Error) =>
          isConnected ? Math.min(FIRST_RECONNECT_MS * 2 ** retries, MAX_RECONNECT_MS) : cause,
      },
    }) as unknown as Client;
    let isWarned = false;
    client.on('error', (error) => {
      // Every failed reconnection raises an error: log only the first. The address may contain a password.
      if (!isWarned) log.warn({ reason: reasonOf(error) }, 'the Redis of the cluster is away');
      isWarned = true;
    });
    client.on('ready', () => {
      if (isWarned) log.info({}, 'the Redis of the cluster is back');
      isWarned = false;
    });
    try {
      await client.connect();
    } catch (error) {
      client.destroy();
      throw clusterErrors.unavailable({ reason: `Redis can not be reached: ${reasonOf(error)}` });
    }
    isConnected = true;
    return new RedisClient(client);
  }

  /** @throws the error of Redis, or an error if disconnected */
  send(command: readonly string[]): Promise<unknown> {
    return this.client.sendCommand(command);
  }

  /** Closes the connection at once; pending commands are rejected. */
  destroy(): void {
    try {
      this.client.destroy();
    } catch {
      // It was already closed.
    }
  }
}

function reasonOf(error: unknown): string {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  return typeof code === 'string' ? code : String(message).slice(0, 200);
}
