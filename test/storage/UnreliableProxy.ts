import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';

/**
 * A proxy between an engine and Elasticsearch, or a client and its server. It can be away (refuses, cuts), deaf
 * (accepts, never answers) or mute (passes requests on, without answers).
 */
export class UnreliableProxy {
  private readonly sockets = new Set<Socket>();
  private server: Server | undefined;
  private port = 0;
  isDeaf = false;
  isMute = false;

  constructor(private readonly target: URL) {}

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Listens, on the same port as before. */
  async appear(): Promise<void> {
    const server = createServer((socket) => this.join(socket));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.port, '127.0.0.1', resolve);
    });
    this.port = (server.address() as AddressInfo).port;
    this.server = server;
  }

  /** Cuts every connection and refuses new ones. */
  async vanish(): Promise<void> {
    const { server } = this;
    const closed = new Promise<void>((resolve) => {
      if (server === undefined) resolve();
      else server.close(() => resolve());
    });
    this.cut();
    await closed;
  }

  /** Cuts every connection. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  private join(near: Socket): void {
    const far = connect(Number(this.target.port), this.target.hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(from);
      from.on('data', (data) => {
        if (!this.isDeaf && !(this.isMute && from === far)) to.write(data);
      });
      from.on('error', () => undefined);
      from.on('close', () => {
        this.sockets.delete(from);
        to.destroy();
      });
    }
  }
}
