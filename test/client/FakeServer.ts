import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';

/** A request that the fake server has received. */
export interface FakeRequest {
  readonly socket: WebSocket;
  readonly requestId: string;
  readonly action: string;
  readonly body?: Record<string, unknown>;
}

const HEARTBEAT_MS = 60_000;

/** A WebSocket server whose answers and notifications a test writes: for what a real server does seldom. */
export class FakeServer {
  readonly requests: FakeRequest[] = [];
  /** Announced to the client. */
  heartbeatMs = HEARTBEAT_MS;
  /** What follows a `client.hello` or a `realtime.resume`. */
  onRequest: (request: FakeRequest) => void = () => undefined;

  private constructor(private readonly server: WebSocketServer) {
    server.on('connection', (socket) => {
      socket.on('message', (data: Buffer) => {
        const request = { socket, ...JSON.parse(data.toString()) } as FakeRequest;
        this.requests.push(request);
        const { heartbeatMs } = this;
        if (request.action === 'hello') this.answer(request, { heartbeatMs });
        this.onRequest(request);
      });
    });
  }

  static async open(): Promise<FakeServer> {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await once(server, 'listening');
    return new FakeServer(server);
  }

  get url(): string {
    return `ws://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The received requests of an action. */
  of(action: string): readonly FakeRequest[] {
    return this.requests.filter((request) => request.action === action);
  }

  /** Answers every subscription of a resume alike. */
  answerResume(request: FakeRequest, result: object): void {
    const { subscriptions } = request.body as { readonly subscriptions: readonly unknown[] };
    const answer = { status: 200, error: null, result };
    this.answer(request, { subscriptions: subscriptions.map(() => answer) });
  }

  answer({ socket, requestId }: FakeRequest, result: object, status = 200): void {
    this.send(socket, { room: requestId, requestId, status, error: null, result });
  }

  /** Sends a notification of a changed document on the channel `channel`. */
  changed(socket: WebSocket, id: string, cursor: string, fields: object = {}): void {
    const result = { _id: id, _source: {}, _version: 1, _meta: null };
    const kind = { controller: 'document', action: 'create', state: 'done', scope: 'in' };
    this.send(socket, {
      room: 'channel',
      roomId: 'room',
      ...kind,
      cursor,
      metadata: {},
      result,
      ...fields,
    });
  }

  send(socket: WebSocket, message: object): void {
    socket.send(JSON.stringify(message));
  }

  async close(): Promise<void> {
    for (const client of this.server.clients) client.terminate();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
