import {
  apiErrors,
  type ByteAccount,
  errorResponse,
  type Connection,
  type ProtocolHost,
  type Request,
  type ResponseMessage,
} from '@millrace/kernel';
import type { Socket } from 'socket.io';
import type { FallbackConfig } from './config.js';
import { decodeValue } from './decodeValue.js';

/** Fewer bytes aren't counted; the number of connections bounds them. */
const UNCOUNTED_BYTES = 65_536;

/** Context shared by all connections of a server. */
export interface ConnectionContext {
  readonly host: ProtocolHost;
  readonly config: FallbackConfig;
  /** Called once, when the connection has closed. */
  readonly onClosed: (connection: ClientConnection) => void;
}

/** The fields of the engine's packets that are used here. */
interface EnginePacket {
  readonly type: string;
  readonly data?: unknown;
}

/** The WebSocket of a transport, if it is one: missing in the library's types. */
interface UnderlyingTransport {
  readonly socket?: { terminate?(): void };
}

interface WaitingRequest {
  readonly request: Request;
  readonly acknowledge: Acknowledge;
  readonly bytes: number;
}

type Acknowledge = ((message: ResponseMessage) => void) | undefined;

/**
 * One socket.io connection. The library has no back-pressure in either direction, so queued data is counted here:
 * bytes that it could not pass to the transport, and requests above the concurrency limit.
 */
export class ClientConnection {
  /** Why the server closed it, if the statistics count that. */
  cause: 'slow' | undefined;
  private readonly waiting: WaitingRequest[] = [];
  private waitingRequestBytes = 0;
  private runningCount = 0;
  /** Bytes of packets created since the transport last accepted some. */
  private unsentBytes = 0;
  private readonly account: ByteAccount;
  private lastFlushAtMs: number;
  private isFinishing = false;
  private isClosed = false;

  constructor(
    readonly connection: Connection,
    readonly socket: Socket,
    private readonly context: ConnectionContext,
    nowMs: number,
  ) {
    this.lastFlushAtMs = nowMs;
    this.account = context.host.bytes.open(connection.remoteAddress);
    const { conn } = socket;
    conn.on('packetCreate', (packet: EnginePacket) => this.count(packet));
    conn.on('flush', () => this.flushed());
    conn.on('packet', (packet: EnginePacket) => this.checkSize(packet));
    socket.on('error', (error: Error) => context.host.log.debug({ err: error }, 'socket.io broke'));
    socket.on(context.host.serviceName, (...sent: unknown[]) => this.receive(sent));
    socket.once('disconnect', () => this.closed());
  }

  get id(): string {
    return this.connection.id;
  }

  /** Sends a notification. */
  send(event: string, envelope: unknown): void {
    if (!this.isClosed) this.socket.emit(event, envelope);
  }

  /** Checks progress; called regularly. */
  watch(nowMs: number): void {
    if (this.unsentBytes === 0) this.lastFlushAtMs = nowMs;
    else if (nowMs - this.lastFlushAtMs > this.context.config.maxStallMs) this.cutSlow('time');
  }

  /** Accepts no further requests, waits for the responses of running ones, then disconnects. */
  finish(): void {
    this.isFinishing = true;
    this.waiting.length = 0;
    if (this.runningCount === 0) this.socket.disconnect(true);
  }

  /** Closes the connection at once, including the TCP socket, which the library would keep until the client reads. */
  terminate(): void {
    const { conn } = this.socket;
    const { socket } = conn.transport as unknown as UnderlyingTransport;
    conn.close(true);
    socket?.terminate?.();
  }

  private receive(sent: readonly unknown[]): void {
    if (this.isFinishing || this.isClosed) return;
    const last = sent.at(-1);
    const acknowledge = typeof last === 'function' ? (last as Acknowledge) : undefined;
    const [value] = acknowledge === undefined ? sent : sent.slice(0, -1);
    const { fields, fault, bytes } = decodeValue(value);
    const request = this.context.host.createRequest(fields, this.connection, fault, bytes);
    const { maxRunningRequests, maxWaitingBytes } = this.context.config;
    if (this.runningCount < maxRunningRequests) {
      void this.answer(request, acknowledge);
      return;
    }
    this.waiting.push({ request, acknowledge, bytes });
    this.waitingRequestBytes += bytes;
    if (this.waitingRequestBytes <= maxWaitingBytes) return;
    this.context.host.log.warn({ connection: this.id }, 'too many requests wait: closed');
    this.terminate();
  }

  private async answer(request: Request, acknowledge: Acknowledge): Promise<void> {
    this.runningCount++;
    const { host } = this.context;
    try {
      const { message } = await host.dispatch(request);
      this.respond(message, acknowledge);
    } catch (error) {
      host.log.error({ err: error, requestId: request.requestId }, 'response failed');
      this.respond(errorResponse(request, error, false).message, acknowledge);
    }
    this.runningCount--;
    const next = this.waiting.shift();
    if (next !== undefined) {
      this.waitingRequestBytes -= next.bytes;
      void this.answer(next.request, next.acknowledge);
    } else if (this.isFinishing && this.runningCount === 0) this.socket.disconnect(true);
  }

  private respond(message: ResponseMessage, acknowledge: Acknowledge): void {
    if (this.isClosed) return;
    this.socket.emit(message.requestId, message);
    acknowledge?.(message);
  }

  /** The engine announces a packet before its content: a message that is too large never reaches `receive`. */
  private checkSize({ type, data }: EnginePacket): void {
    const { host, config } = this.context;
    if (type !== 'message' || this.isFinishing || sizeOf(data) <= config.maxMessageBytes) return;
    const fault = apiErrors.body_too_large({ maxBytes: config.maxMessageBytes });
    void this.answer(host.createRequest({}, this.connection, fault), undefined);
    this.finish();
  }

  private count({ data }: EnginePacket): void {
    // Runs for every connection of a broadcast: the string's length is accurate enough and needs no computation.
    this.unsentBytes += typeof data === 'string' ? data.length : sizeOf(data);
    // Not inside the library's broadcast, and only after the new packets could have been passed on.
    if (this.unsentBytes > UNCOUNTED_BYTES) this.account.set(this.unsentBytes);
    if (this.holdsTooMuch) {
      setImmediate(() => {
        if (this.holdsTooMuch) this.cutSlow('bytes');
      });
    }
  }

  private get holdsTooMuch(): boolean {
    if (this.unsentBytes > this.context.config.maxWaitingBytes) return true;
    return this.account.heldBytes > 0 && this.account.isOverdrawn;
  }

  private flushed(): void {
    this.unsentBytes = 0;
    this.account.close();
    this.lastFlushAtMs = performance.now();
  }

  private cutSlow(reason: 'bytes' | 'time'): void {
    if (this.isClosed) return;
    this.cause = 'slow';
    const { id, remoteAddress } = this.connection;
    const fields = { connection: id, remoteAddress, waitingBytes: this.unsentBytes, reason };
    this.context.host.log.warn(fields, 'slow consumer closed');
    this.terminate();
  }

  private closed(): void {
    this.isClosed = true;
    this.waiting.length = 0;
    this.account.close();
    this.connection.lifetime?.close();
    this.context.onClosed(this);
  }
}

function sizeOf(data: unknown): number {
  if (typeof data === 'string') return Buffer.byteLength(data);
  return ArrayBuffer.isView(data) ? data.byteLength : 0;
}
