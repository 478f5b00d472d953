import { clusterErrors, type Logger } from '@millrace/kernel';
import type { ClusterConfig } from '../ClusterConfig.js';

/** What we use of a client of the `redis` package. */
interface Client {
  connect(): Promise<unknown>;
  destroy(): void;
  on(event: 'error' | 'ready', listen: (error: unknown) => void): unknown;
  sendCommand(args: readonly string[]): Promise<unknown>;
}

const MAX_RECONNECT_MS = 500;
const FIRST_RECONNECT_MS = 20;

/** One connection to Redis that comes back by itself; while it is away, commands fail at once. */
export class RedisClient {
  private constructor(private readonly client: Client) {}

  /** @throws cluster.unavailable (503) where Redis can't be reached now */
  static async open(config: ClusterConfig['redis'], log: Logger): Promise<RedisClient> {
    // Loaded here: a server that stands alone never pays for it.
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
      // Each attempt to come back fails in its turn: the first line says it all. The address may hold a password.
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

  /** @throws what Redis answers, or that it is away */
  send(command: readonly string[]): Promise<unknown> {
    return this.client.sendCommand(command);
  }

  /** Closes it at once; what waits for a reply is rejected. */
  destroy(): void {
    try {
      this.client.destroy();
    } catch {
      // It was closed already.
    }
  }
}

function reasonOf(error: unknown): string {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  return typeof code === 'string' ? code : String(message).slice(0, 200);
}
