import { once } from 'node:events';
import type { JsonObject } from '@millrace/kernel';
import { WebSocket } from 'ws';

interface Answer {
  readonly requestId: string;
  readonly status: number;
  readonly result: JsonObject | null;
}

/** A WebSocket that sends without waiting for answers. */
export class RequestSocket {
  succeededCount = 0;
  /** By request id. */
  private readonly answers = new Map<string, Answer>();
  private readonly waiting = new Map<string, () => void>();

  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => {
      const answer = JSON.parse(data.toString()) as Answer;
      const { requestId, status } = answer;
      if (status === 200) this.succeededCount++;
      this.answers.set(requestId, answer);
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
    return this.answers.get(requestId)?.status;
  }

  /** The result of an answer that has arrived. */
  resultOf(requestId: string): JsonObject | undefined {
    return this.answers.get(requestId)?.result ?? undefined;
  }

  close(): void {
    this.socket.terminate();
  }
}
