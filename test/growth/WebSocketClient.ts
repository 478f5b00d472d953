import { once } from 'node:events';
import WebSocket from 'ws';
import type { JsonObject, ResponseMessage } from '@millrace/kernel';
import type { Answer } from './Row.js';

/** A WebSocket that sends requests and matches answers. */
export class WebSocketClient {
  private readonly waiting = new Map<string, (answer: Answer) => void>();
  private requestCount = 0;

  private constructor(readonly socket: WebSocket) {
    socket.on('error', () => undefined);
    socket.on('message', (data: Buffer) => {
      const { requestId, ...answer } = JSON.parse(data.toString()) as ResponseMessage;
      this.waiting.get(requestId)?.(answer as unknown as Answer);
      this.waiting.delete(requestId);
    });
    socket.on('close', () => {
      for (const answer of this.waiting.values()) answer({ status: 499, result: {} });
    });
  }

  /** @throws if the server refuses the connection */
  static async open(url: string, address = '10.0.0.1'): Promise<WebSocketClient> {
    const options = { perMessageDeflate: false, headers: { 'x-forwarded-for': address } };
    const client = new WebSocketClient(new WebSocket(url, options));
    await once(client.socket, 'open');
    return client;
  }

  /** 499: the connection has closed. */
  request(fields: JsonObject): Promise<Answer> {
    const requestId = `r${this.requestCount++}`;
    return new Promise((resolve) => {
      if (this.socket.readyState !== WebSocket.OPEN) return resolve({ status: 499, result: {} });
      this.waiting.set(requestId, resolve);
      this.socket.send(JSON.stringify({ requestId, ...fields }));
    });
  }

  async close(): Promise<void> {
    if (this.socket.readyState === WebSocket.CLOSED) return;
    const closed = once(this.socket, 'close');
    // The server doesn't read the closing handshake while requests wait.
    this.socket.terminate();
    await closed;
  }
}
