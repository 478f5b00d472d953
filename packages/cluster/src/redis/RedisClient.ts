import { clusterErrors } from '@millrace/kernel';
import type { ClusterConfig } from '../ClusterConfig.js';
import type { RedisPresence } from './RedisPresence.js';

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
  private constructor(
    private readonly client: Client,
    private readonly presence: RedisPresence,
  ) {}

  /** @throws cluster.unavailable (503) if Redis can't be reached now */
  static async open(config: ClusterConfig['redis'], presence: RedisPresence): Promise<RedisClient> {
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
    // Every failed reconnection raises an error. The address may contain a password.
    client.on('error', (error) => {
      if (isConnected) presence.lost(client, reasonOf(error));
    });
    client.on('ready', () => presence.back(client));
    try {
      await client.connect();
    } catch (error) {
      client.destroy();
      throw clusterErrors.unavailable({ reason: `Redis can not be reached: ${reasonOf(error)}` });
    }
    isConnected = true;
    return new RedisClient(client, presence);
  }

  /** @throws the error of Redis, or an error if disconnected */
  send(command: readonly string[]): Promise<unknown> {
    return this.client.sendCommand(command);
  }

  /** Closes the connection at once; pending commands are rejected. */
  destroy(): void {
    this.presence.forget(this.client);
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
