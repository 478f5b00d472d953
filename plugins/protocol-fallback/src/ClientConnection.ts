import {
  apiErrors,
  Queue,
  type Connection,
  type Notifier,
  type ProtocolHost,
  type Request,
  type ResponseMessage,
} from '@millrace/kernel';
import {
  DrainWait,
  Heartbeat,
  heartbeatOf,
  HeldBytes,
  logSlowConsumer,
  RequestPump,
  type HeldConnection,
} from '@millrace/plugin-kit';
import type { Socket } from 'socket.io';
import type { FallbackConfig } from './config.js';
import { decodeValue } from './decodeValue.js';
import { HEARTBEAT_EVENT } from './HEARTBEAT_EVENT.js';

/** A client that sends so many requests without waiting for answers is disconnected (PROTO-58). */
const MAX_WAITING_REQUESTS = 5_000;
/** Memory of a request, in addition to its content. */
const REQUEST_BYTES = 512;
/** How long a client may take to ask for the last messages. */
const CLOSE_TIMEOUT_MS = 500;

/** Context shared by all connections of a server. */
export interface ConnectionContext {
  readonly host: ProtocolHost;
  readonly config: FallbackConfig;
  readonly notifier: Pick<Notifier, 'notify'>;
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
export class ClientConnection implements HeldConnection {
  /** Why the server closed it, if the statistics count that. */
  cause: 'slow' | undefined;
  readonly heartbeat: Heartbeat;
  private readonly waiting = new Queue<WaitingRequest>();
  private waitingRequestBytes = 0;
  /** Counts them for the client's address. */
  private readonly incoming: HeldBytes;
  private readonly pump: RequestPump;
  /** Bytes of packets created since the transport last accepted some. */
  private unsentBytes = 0;
  /** Bytes of all packets created. */
  private createdBytes = 0;
  private readonly unsent: HeldBytes;
  private lastFlushAtMs: number;
  private readonly drain = new DrainWait();
  private ending: NodeJS.Timeout | undefined;
  private isFinishing = false;
  private isClosed = false;

  constructor(
    readonly connection: Connection,
    readonly socket: Socket,
    private readonly context: ConnectionContext,
    nowMs: number,
  ) {
    this.lastFlushAtMs = nowMs;
    this.heartbeat = new Heartbeat(context.config.heartbeatMs);
    const { host, config } = context;
    this.unsent = new HeldBytes(host.bytes, connection.remoteAddress);
    this.incoming = new HeldBytes(host.bytes, connection.remoteAddress);
    this.pump = new RequestPump({
      host,
      connection,
      maxRunningRequests: config.maxRunningRequests,
      // The bytes of waiting requests are limited instead.
      maxRunningBytes: Infinity,
      onAnswered: () => this.runNext(),
      onFlooded: () => this.finish(),
    });
    const { conn } = socket;
    conn.on('packetCreate', (packet: EnginePacket) => this.count(packet));
    conn.on('flush', () => this.flushed());
    conn.on('packet', (packet: EnginePacket) => this.checkSize(packet));
    socket.on('error', (error: Error) => host.log.debug({ err: error }, 'socket.io broke'));
    socket.on(host.serviceName, (...sent: unknown[]) => this.receive(sent));
    socket.once('disconnect', () => this.closed());
  }

  get id(): string {
    return this.connection.id;
  }

  /** Sends a notification. */
  send(event: string, envelope: unknown): void {
    if (!this.isClosed) this.socket.emit(event, envelope);
  }

  /** See `Notifier.drained`. */
  drained(): Promise<void> | undefined {
    const isMuch = this.unsentBytes > this.context.config.maxWaitingBytes / 2;
    return isMuch && !this.isClosed ? this.drain.wait() : undefined;
  }

  /** Checks progress; called regularly. */
  watch(nowMs: number): void {
    if (this.unsentBytes === 0) this.lastFlushAtMs = nowMs;
    else if (nowMs - this.lastFlushAtMs > this.context.config.maxStallMs) this.cutSlow('time');
    if (this.unsentBytes === 0 && this.heartbeat.isDue(nowMs)) this.sendHeartbeat();
  }

  private sendHeartbeat(): void {
    const { host, notifier } = this.context;
    // After everything that was published before.
    notifier.notify(this.id, HEARTBEAT_EVENT, JSON.stringify(heartbeatOf(host, this.connection)));
  }

  /** Accepts no further requests, waits for the responses of running ones, then ends. */
  finish(): void {
    this.finishBy(() => this.end());
  }

  /** Closes the connection once everything has been sent. The client connects again by itself. */
  end(): void {
    const { conn } = this.socket;
    if (conn.transport.writable) return void conn.close();
    // One that polls learns of it by the answer to a poll: the library would wait 30 s for the next.
    conn.transport.once('ready', () => conn.close());
    this.ending ??= setTimeout(() => conn.close(true), CLOSE_TIMEOUT_MS);
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
    if (!this.pump.isFull) {
      this.begin({ request, acknowledge, bytes });
      return;
    }
    this.waiting.push({ request, acknowledge, bytes });
    this.hold(bytes + REQUEST_BYTES);
    const isMuch = this.waitingRequestBytes > this.context.config.maxWaitingBytes;
    if (!isMuch && !this.incoming.isTooMuch && this.waiting.size <= MAX_WAITING_REQUESTS) return;
    this.context.host.log.warn({ connection: this.id }, 'too many requests wait: closed');
    this.terminate();
  }

  /** Runs a request in this turn of the event loop, or in a later one. */
  private begin({ request, acknowledge, bytes }: WaitingRequest): void {
    this.pump.add(bytes, () => {
      if (!this.isFinishing && !this.isClosed) this.answer(request, acknowledge);
    });
  }

  private hold(bytes: number): void {
    this.waitingRequestBytes += bytes;
    this.incoming.set(this.waitingRequestBytes);
  }

  private answer(request: Request, acknowledge: Acknowledge): void {
    void this.pump.run(request, ({ message }) => {
      if (this.isClosed) return 0;
      const bytesBefore = this.createdBytes;
      this.send(message.requestId, message);
      acknowledge?.(message);
      return this.createdBytes - bytesBefore;
    });
  }

  private runNext(): void {
    while (!this.pump.isFull) {
      const next = this.waiting.take();
      if (next === undefined) return;
      this.hold(-next.bytes - REQUEST_BYTES);
      this.begin(next);
    }
  }

  /** The engine announces a packet before its content: a message that is too large never reaches `receive`. */
  private checkSize({ type, data }: EnginePacket): void {
    const { host, config } = this.context;
    if (type !== 'message' || this.isFinishing || sizeOf(data) <= config.maxMessageBytes) return;
    const fault = apiErrors.body_too_large({ maxBytes: config.maxMessageBytes });
    this.answer(host.createRequest({}, this.connection, fault), undefined);
    // It would send the same message again: clients that the server disconnects stay away.
    this.finishBy(() => this.socket.disconnect(true));
  }

  private finishBy(close: () => void): void {
    this.isFinishing = true;
    this.dropWaiting();
    this.pump.whenIdle(close);
  }

  private dropWaiting(): void {
    this.waiting.clear();
    this.waitingRequestBytes = 0;
    this.incoming.release();
  }

  private count({ data }: EnginePacket): void {
    // Runs for every connection of a broadcast: the string's length is accurate enough and needs no computation.
    const bytes = typeof data === 'string' ? data.length : sizeOf(data);
    this.unsentBytes += bytes;
    this.createdBytes += bytes;
    // Not inside the library's broadcast, and only after the new packets could have been passed on.
    this.unsent.set(this.unsentBytes);
    if (this.holdsTooMuch) {
      setImmediate(() => {
        if (this.holdsTooMuch) this.cutSlow('bytes');
      });
    }
  }

  private get holdsTooMuch(): boolean {
    return this.unsentBytes > this.context.config.maxWaitingBytes || this.unsent.isTooMuch;
  }

  private flushed(): void {
    this.unsentBytes = 0;
    this.unsent.release();
    this.lastFlushAtMs = performance.now();
    this.drain.drained();
  }

  private cutSlow(reason: 'bytes' | 'time'): void {
    if (this.isClosed) return;
    this.cause = 'slow';
    const waitingBytes = this.unsentBytes;
    logSlowConsumer(this.context.host, this.connection, { waitingBytes, reason });
    this.terminate();
  }

  private closed(): void {
    this.isClosed = true;
    clearTimeout(this.ending);
    this.dropWaiting();
    this.pump.close();
    this.unsent.release();
    this.drain.drained();
    this.connection.lifetime?.close();
    this.context.onClosed(this);
  }
}

function sizeOf(data: unknown): number {
  if (typeof data === 'string') return Buffer.byteLength(data);
  return ArrayBuffer.isView(data) ? data.byteLength : 0;
}
