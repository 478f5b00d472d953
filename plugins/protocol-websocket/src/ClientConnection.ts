import type { Socket } from 'node:net';
import {
  apiErrors,
  decodeMessage,
  type Connection,
  type MillraceError,
  type ProtocolHost,
  type RequestFields,
  type Response,
} from '@millrace/kernel';
import {
  Heartbeat,
  heartbeatOf,
  HeldBytes,
  logSlowConsumer,
  Outbox,
  RequestPump,
  type ChannelListener,
  type HeldConnection,
  type OutboxLimits,
  type RequestPumpOptions,
} from '@millrace/plugin-kit';
import { WebSocket, type RawData } from 'ws';
import type { WebsocketConfig } from './config.js';
import { encodeResponse, wrapParts } from './encodeResponse.js';
import { PING_FRAME, pongFrame, textFrame } from './frame.js';

// The table CLOSE_CODES of the plugin kit lists all codes.
const MESSAGE_TOO_BIG = 1009;
const SERVICE_RESTART = 1012;
const TRY_AGAIN_LATER = 1013;

const MAX_MISSED_PINGS = 2;

/** The connection of a socket or its stream, for the listeners that all connections share. */
const CLIENT = Symbol('client');
type Held<T> = T & { [CLIENT]?: ClientConnection };

/** Context shared by all connections of a server. */
export interface ConnectionContext {
  readonly host: ProtocolHost;
  readonly config: WebsocketConfig;
  /** Sends a frame after everything that was published before. */
  readonly sendInOrder: (connection: ClientConnection, frame: Buffer) => void;
  /** Called once, when the connection has closed. */
  readonly onClosed: (connection: ClientConnection) => void;
}

/**
 * One WebSocket: reads requests, writes responses and notifications. It stops reading while too many of its requests
 * run or too much data is queued for it, so that the memory used by one client is bounded.
 */
export class ClientConnection implements ChannelListener<Buffer>, HeldConnection, RequestPumpOptions, OutboxLimits {
  /** Why the server closed it, if the statistics count that. */
  cause: 'slow' | undefined;
  readonly heartbeat: Heartbeat;
  readonly host: ProtocolHost;
  readonly maxRunningRequests: number;
  readonly maxWaitingBytes: number;
  readonly maxStallMs: number;
  private readonly outbox: Outbox;
  private readonly pump: RequestPump;
  /** Counts the bytes of an incomplete message. */
  private readonly incoming: HeldBytes;
  private incomingBytes = 0;
  private missedPings = 0;
  private pingDueAtMs: number;
  private retryAfterMs = 0;
  private isFinishing = false;
  private isClosing = false;

  constructor(
    readonly connection: Connection,
    private readonly socket: WebSocket,
    stream: Socket,
    private readonly context: ConnectionContext,
    nowMs: number,
  ) {
    const { host, config } = context;
    const { remoteAddress } = connection;
    this.host = host;
    this.maxRunningRequests = config.maxRunningRequests;
    this.maxWaitingBytes = config.maxWaitingBytes;
    this.maxStallMs = config.maxStallMs;
    // It is their options itself, and its listeners are shared: a thousand idle connections would hold 1 MiB more.
    this.outbox = new Outbox(stream, host.bytes.open(remoteAddress), this);
    this.incoming = new HeldBytes(host.bytes, remoteAddress);
    this.pump = new RequestPump(this);
    this.heartbeat = new Heartbeat(config.heartbeatMs);
    this.pingDueAtMs = nowMs + config.keepAliveMs;
    (stream as Held<Socket>)[CLIENT] = this;
    (socket as Held<WebSocket>)[CLIENT] = this;
    stream.on('drain', onDrain).on('data', onData);
    socket.on('message', onMessage).on('ping', onPing).on('pong', onPong);
    socket.on('error', onError).on('close', onClose);
  }

  get id(): string {
    return this.connection.id;
  }

  /** Sends one frame; a client with too many queued bytes is closed instead. */
  send(frame: Buffer): void {
    if (this.isGone()) return;
    this.outbox.send(frame);
  }

  get isBehind(): boolean {
    return this.outbox.isBehind;
  }

  /** See `Notifier.drained`. */
  drained(): Promise<void> | undefined {
    return this.outbox.drained();
  }

  /** Checks keep-alive and progress; called regularly. */
  watch(nowMs: number): void {
    if (this.isClosing) return;
    this.outbox.watch(nowMs);
    // While data is queued, the client receives something.
    if (!this.outbox.isCongested && this.heartbeat.isDue(nowMs)) this.sendHeartbeat();
    if (this.isGone() || nowMs < this.pingDueAtMs) return;
    this.pingDueAtMs = nowMs + this.context.config.keepAliveMs;
    // While reading is paused, a pong can't be received; while much data is queued, a ping would be late: the stall
    // limit applies instead.
    if (this.socket.isPaused || this.outbox.isCongested) return;
    if (this.missedPings >= MAX_MISSED_PINGS) {
      this.terminate();
      return;
    }
    this.missedPings++;
    this.outbox.send(PING_FRAME);
  }

  /** Stops reading, waits for the responses of running requests, then closes with 1012 (PROTO-43). */
  finish(retryAfterMs: number): void {
    this.retryAfterMs = retryAfterMs;
    this.closeAfterAnswers(SERVICE_RESTART, this.stopReason);
  }

  /** Closes with 1012 although requests are running. */
  hurry(): void {
    this.close(SERVICE_RESTART, this.stopReason);
  }

  private get stopReason(): string {
    return JSON.stringify({ retryAfterMs: this.retryAfterMs });
  }

  terminate(): void {
    this.isClosing = true;
    this.outbox.close();
    this.socket.terminate();
  }

  /** ws buffers an incomplete message. */
  arrive(bytes: number): void {
    this.incomingBytes += bytes;
    this.incoming.set(this.incomingBytes);
    if (this.incoming.isTooMuch) this.close(TRY_AGAIN_LATER, 'overloaded: messages arrive');
  }

  receive(bytes: Buffer, isBinary: boolean): void {
    this.incomingBytes = 0;
    this.incoming.release();
    // ws emits messages that were read before a pause or close.
    if (this.isClosing || this.isFinishing) return;
    this.missedPings = 0;
    this.pump.add(bytes.length, () => this.take(bytes, isBinary));
    if (this.pump.isParsing) this.incoming.set(bytes.length);
    if (this.pump.isFull) this.socket.pause();
  }

  private take(bytes: Buffer, isBinary: boolean): void {
    this.incoming.release();
    if (this.isClosing || this.isFinishing) return;
    const { maxMessageBytes } = this.context.config;
    if (bytes.length > maxMessageBytes) {
      this.answer({}, apiErrors.body_too_large({ maxBytes: maxMessageBytes }));
      this.closeAfterAnswers(MESSAGE_TOO_BIG, 'message too large');
      return;
    }
    // ws has validated the encoding of text messages.
    const decoded = decodeMessage(bytes, !isBinary);
    this.answer(decoded.fields, decoded.fault, decoded.bytes);
  }

  private answer(fields: RequestFields, fault?: MillraceError, bytes?: number): void {
    const request = this.context.host.createRequest(fields, this.connection, fault, bytes);
    void this.pump.run(request, (response, parts) => this.reply(response, parts));
  }

  private reply(response: Response, parts?: readonly Buffer[]): number {
    if (this.isGone()) return 0;
    if (parts !== undefined) return this.outbox.sendParts(wrapParts(response, parts));
    const frame = encodeResponse(response);
    this.outbox.send(frame);
    return frame.length;
  }

  isGone(): boolean {
    return this.isClosing || this.socket.readyState !== WebSocket.OPEN;
  }

  onAnswered(): void {
    if (this.outbox.isCongested && !this.isClosing) this.socket.pause();
    else this.readOn();
  }

  onFlooded(): void {
    this.closeAfterAnswers(TRY_AGAIN_LATER, 'too many requests');
  }

  private sendHeartbeat(): void {
    const heartbeat = heartbeatOf(this.host, this.connection);
    this.context.sendInOrder(this, textFrame(JSON.stringify(heartbeat)));
  }

  drain(): void {
    this.outbox.pump();
    this.readOn();
  }

  private readOn(): void {
    if (!this.socket.isPaused || this.isClosing || this.isFinishing) return;
    if (!this.pump.isFull && !this.outbox.isCongested) this.socket.resume();
  }

  private closeAfterAnswers(code: number, reason: string): void {
    if (this.isClosing || this.isFinishing) return;
    this.isFinishing = true;
    this.socket.pause();
    this.pump.whenIdle(() => this.outbox.whenEmpty(() => this.close(code, reason)));
  }

  /** RFC 6455 section 5.5.3: only the latest ping needs a pong, so a client that doesn't read gets none. */
  answerPing(payload: Buffer): void {
    this.missedPings = 0;
    if (!this.isClosing && !this.outbox.isCongested) this.outbox.send(pongFrame(payload));
  }

  onSlow(reason: 'bytes' | 'time'): void {
    if (this.isClosing) return;
    this.cause = 'slow';
    const { waitingBytes } = this.outbox;
    logSlowConsumer(this.context.host, this.connection, { waitingBytes, reason });
    this.close(TRY_AGAIN_LATER, 'too slow: notifications wait');
  }

  /** Discards queued data; ws ends the socket itself if the client doesn't answer within `closeTimeout`. */
  private close(code: number, reason: string): void {
    if (this.isClosing) return;
    this.isClosing = true;
    this.connection.lifetime?.close();
    // A close frame in the middle of a message would be read as part of it.
    if (this.outbox.close()) {
      this.socket.terminate();
      return;
    }
    this.socket.close(code, reason);
    // The client's own close frame has to be read.
    this.socket.resume();
  }

  answeredPing(): void {
    this.missedPings = 0;
  }

  closed(): void {
    this.isClosing = true;
    this.pump.close();
    this.outbox.close();
    this.incoming.release();
    this.connection.lifetime?.close();
    this.context.onClosed(this);
  }
}

function onDrain(this: Held<Socket>): void {
  this[CLIENT]?.drain();
}

function onData(this: Held<Socket>, chunk: Buffer): void {
  this[CLIENT]?.arrive(chunk.length);
}

function onMessage(this: Held<WebSocket>, data: RawData, isBinary: boolean): void {
  this[CLIENT]?.receive(data as Buffer, isBinary);
}

function onPing(this: Held<WebSocket>, payload: Buffer): void {
  this[CLIENT]?.answerPing(payload);
}

function onPong(this: Held<WebSocket>): void {
  this[CLIENT]?.answeredPing();
}

/** ws has begun to close: a frame is malformed, too large or not UTF-8, or the socket failed. */
function onError(this: Held<WebSocket>, error: Error): void {
  this[CLIENT]?.host.log.debug({ err: error }, 'WebSocket broke');
}

function onClose(this: Held<WebSocket>): void {
  this[CLIENT]?.closed();
}
