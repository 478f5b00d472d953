import { connect, createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

/** A way to Redis that can be cut, so that one node is out of touch while the others are not. */
export class RedisProxy {
  private readonly sockets = new Set<Socket>();
  private readonly replies = new Map<Socket, Socket>();
  private isCut = false;
  private server: Server | undefined;

  constructor(private readonly port: number) {}

  /** @returns its address */
  async start(): Promise<string> {
    const server = createServer((client) => {
      if (this.isCut) return void client.destroy();
      const redis = connect(this.port, '127.0.0.1');
      for (const socket of [client, redis]) {
        this.sockets.add(socket);
        socket.on('error', () => undefined);
        socket.on('close', () => {
          this.sockets.delete(socket);
          this.replies.delete(redis);
          client.destroy();
          redis.destroy();
        });
      }
      this.replies.set(redis, client);
      client.pipe(redis).pipe(client);
    });
    this.server = server;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `redis://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.destroy();
  }

  /** Redis does what the node asks, and its answers are lost. */
  loseReplies(): void {
    for (const [redis, client] of this.replies) redis.unpipe(client).resume();
  }

  mend(): void {
    this.isCut = false;
  }

  close(): void {
    this.cut();
    this.server?.close();
  }
}
