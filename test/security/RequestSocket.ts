import { once } from 'node:events';
import { WebSocket } from 'ws';

/** A WebSocket that sends without waiting for answers. */
export class RequestSocket {
  succeededCount = 0;
  /** By request id. */
  readonly statuses = new Map<string, number>();
  private readonly waiting = new Map<string, () => void>();

  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => {
      const { requestId, status } = JSON.parse(data.toString()) as {
        readonly requestId: string;
        readonly status: number;
      };
      if (status === 200) this.succeededCount++;
      this.statuses.set(requestId, status);
      this.waiting.get(requestId)?.();
    });
    socket.on('error', () => undefined);
  }

  static async open(url: string, localAddress = '127.0.0.1'): Promise<RequestSocket> {
    const socket = new WebSocket(url, { localAddress });
    await once(socket, 'open');
    return new RequestSocket(socket);
  }

  send(fields: object): void {
    this.socket.send(JSON.stringify(fields));
  }

  /** Resolves with the status of the answer. */
  async request(requestId: string, fields: object): Promise<number | undefined> {
    const answered = new Promise<void>((resolve) => this.waiting.set(requestId, resolve));
    this.send({ ...fields, requestId });
    await answered;
    return this.statuses.get(requestId);
  }

  close(): void {
    this.socket.terminate();
  }
}
