import type { Socket } from 'node:net';
import {
  apiErrors,
  coreErrors,
  decodeMessage,
  encodeInParts,
  errorResponse,
  isLongMessage,
  ParseTurns,
  type ByteAccount,
  type Connection,
  type ProtocolHost,
  type Request,
  type Response,
} from '@millrace/kernel';
import { Outbox, type ChannelListener } from '@millrace/plugin-kit';
import { WebSocket } from 'ws';
import type { WebsocketConfig } from './config.js';
import { encodeResponse, wrapParts } from './encodeResponse.js';
import { PING_FRAME, pongFrame } from './frame.js';

// Close codes of RFC 6455 section 7.4.1 and of the IANA registry.
const GOING_AWAY = 1001;
const MESSAGE_TOO_BIG = 1009;
const TRY_AGAIN_LATER = 1013;

const MAX_MISSED_PINGS = 2;
/** Shorter messages aren't counted; the number of connections bounds them. */
const UNCOUNTED_BYTES = 65_536;
/** Maximum memory of the running requests of one connection, in bytes. */
const MAX_RUNNING_BYTES = 4_194_304;

/** Context shared by all connections of a server. */
export interface ConnectionContext {
  readonly host: ProtocolHost;
  readonly config: WebsocketConfig;
  /** Called once, when the connection has closed. */
  readonly onClosed: (connection: ClientConnection) => void;
}

/**
 * One WebSocket: reads requests, writes responses and notifications. It stops reading while too many of its requests
 * run or too much data is queued for it, so that the memory used by one client is bounded.
 */
export class ClientConnection implements ChannelListener<Buffer> {
  /** Why the server closed it, if the statistics count that. */
  cause: 'slow' | undefined;
  private readonly outbox: Outbox;
  /** Counts the bytes of an incomplete message. */
  private readonly incoming: ByteAccount;
  private incomingBytes = 0;
  private readonly turns = new ParseTurns();
  private runningCount = 0;
  /** Memory of the running requests. */
  private runningBytes = 0;
  private missedPings = 0;
  private pingDueAtMs: number;
  private isFinishing = false;
  private isClosing = false;
  private onIdle: (() => void) | undefined;

  constructor(
    readonly connection: Connection,
    private readonly socket: WebSocket,
    stream: Socket,
    private readonly context: ConnectionContext,
    nowMs: number,
  ) {
    const { bytes } = context.host;
    this.outbox = new Outbox(stream, bytes.open(connection.remoteAddress));
    this.incoming = bytes.open(connection.remoteAddress);
    this.pingDueAtMs = nowMs + context.config.keepAliveMs;
    stream.on('drain', () => this.readOn());
    stream.on('data', (chunk: Buffer) => this.arrive(chunk.length));
    socket.on('message', (data: Buffer, isBinary) => this.receive(data, isBinary));
    socket.on('ping', (payload: Buffer) => this.answerPing(payload));
    socket.on('pong', () => (this.missedPings = 0));
    // ws has begun to close: a frame is malformed, too large or not UTF-8, or the socket failed.
    socket.on('error', (error) => context.host.log.debug({ err: error }, 'WebSocket broke'));
    socket.once('close', () => this.closed());
  }

  get id(): string {
    return this.connection.id;
  }

  /** Sends one frame; a client with too many queued bytes is closed instead. */
  send(frame: Buffer): void {
    if (this.isGone) return;
    this.outbox.send(frame);
    this.cutWhereTooMuchWaits();
  }

  /** Checks keep-alive and progress; called regularly. */
  watch(nowMs: number): void {
    if (this.isClosing) return;
    const { keepAliveMs, maxStallMs } = this.context.config;
    if (this.outbox.stalledMs(nowMs) > maxStallMs) {
      this.cutSlow('time');
      return;
    }
    if (nowMs < this.pingDueAtMs) return;
    this.pingDueAtMs = nowMs + keepAliveMs;
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

  /** Stops reading, waits for the responses of running requests, then closes with 1001. */
  finish(): void {
    this.closeAfterAnswers(GOING_AWAY, 'the server is stopping');
  }

  /** Closes with 1001 although requests are running. */
  hurry(): void {
    this.close(GOING_AWAY, 'the server is stopping');
  }

  terminate(): void {
    this.isClosing = true;
    this.outbox.close();
    this.socket.terminate();
  }

  /** ws buffers an incomplete message. */
  private arrive(bytes: number): void {
    this.incomingBytes += bytes;
    if (this.incomingBytes <= UNCOUNTED_BYTES) return;
    this.incoming.set(this.incomingBytes);
    if (this.incoming.isOverdrawn) this.close(TRY_AGAIN_LATER, 'overloaded: messages arrive');
  }

  private receive(bytes: Buffer, isBinary: boolean): void {
    this.incomingBytes = 0;
    this.incoming.close();
    // ws emits messages that were read before a pause or close.
    if (this.isClosing || this.isFinishing) return;
    this.missedPings = 0;
    this.turns.add(bytes.length, () => this.take(bytes, isBinary));
    if (!this.turns.isWaiting) return;
    this.incoming.set(bytes.length);
    this.socket.pause();
  }

  private take(bytes: Buffer, isBinary: boolean): void {
    this.incoming.close();
    if (this.isClosing || this.isFinishing) return;
    const { host, config } = this.context;
    if (bytes.length > config.maxMessageBytes) {
      const fault = apiErrors.body_too_large({ maxBytes: config.maxMessageBytes });
      void this.answer(host.createRequest({}, this.connection, fault));
      this.closeAfterAnswers(MESSAGE_TOO_BIG, 'message too large');
      return;
    }
    // ws has validated the encoding of text messages.
    const decoded = decodeMessage(bytes, !isBinary);
    const { fields, fault } = decoded;
    void this.answer(host.createRequest(fields, this.connection, fault, decoded.bytes));
  }

  private async answer(request: Request): Promise<void> {
    this.runningCount++;
    this.runningBytes += request.bytes;
    if (this.isBusy) this.socket.pause();
    const { host } = this.context;
    try {
      const response = await host.dispatch(request);
      if (isLongMessage(response.message)) await this.sendLong(request, response);
      else this.send(encodeResponse(response));
    } catch (error) {
      host.log.error({ err: error, requestId: request.requestId }, 'response failed');
      this.send(encodeResponse(errorResponse(request, error, false)));
    }
    this.runningCount--;
    this.runningBytes -= request.bytes;
    if (this.outbox.isCongested && !this.isClosing) this.socket.pause();
    else this.readOn();
    if (this.runningCount === 0) this.onIdle?.();
  }

  private async sendLong(request: Request, response: Response): Promise<void> {
    const { message } = response;
    const account = this.context.host.bytes.open(this.connection.remoteAddress);
    try {
      const parts = await encodeInParts(message, account, () => this.isGone);
      // From now on the outbox counts these bytes.
      account.close();
      if (this.isGone) return;
      // Responses that the client's address hasn't read yet leave no room for this one.
      if (parts === undefined) {
        this.send(encodeResponse(errorResponse(request, coreErrors.overloaded({}), false)));
        return;
      }
      this.outbox.sendParts(wrapParts(response, parts));
      this.cutWhereTooMuchWaits();
    } finally {
      account.close();
    }
  }

  private get isGone(): boolean {
    return this.isClosing || this.socket.readyState !== WebSocket.OPEN;
  }

  private readOn(): void {
    if (!this.socket.isPaused || this.isClosing || this.isFinishing) return;
    if (!this.isBusy && !this.outbox.isCongested) this.socket.resume();
  }

  /** Enough of its requests run: nothing further is read until one is answered. */
  private get isBusy(): boolean {
    const { maxRunningRequests } = this.context.config;
    if (this.turns.isWaiting) return true;
    return this.runningCount >= maxRunningRequests || this.runningBytes > MAX_RUNNING_BYTES;
  }

  private closeAfterAnswers(code: number, reason: string): void {
    if (this.isClosing || this.isFinishing) return;
    this.isFinishing = true;
    this.socket.pause();
    const close = () => this.outbox.whenEmpty(() => this.close(code, reason));
    if (this.runningCount === 0) close();
    else this.onIdle = close;
  }

  /** RFC 6455 section 5.5.3: only the latest ping needs a pong, so a client that doesn't read gets none. */
  private answerPing(payload: Buffer): void {
    this.missedPings = 0;
    if (!this.isClosing && !this.outbox.isCongested) this.outbox.send(pongFrame(payload));
  }

  private cutWhereTooMuchWaits(): void {
    const { outbox } = this;
    const isTooMuch = outbox.waitingBytes > this.context.config.maxWaitingBytes;
    if (isTooMuch || outbox.isOverdrawn) this.cutSlow('bytes');
  }

  private cutSlow(reason: 'bytes' | 'time'): void {
    this.cause = 'slow';
    const { host } = this.context;
    const { id, remoteAddress } = this.connection;
    const { waitingBytes } = this.outbox;
    host.log.warn({ connection: id, remoteAddress, waitingBytes, reason }, 'slow consumer closed');
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

  private closed(): void {
    this.isClosing = true;
    this.turns.clear();
    this.outbox.close();
    this.incoming.close();
    this.connection.lifetime?.close();
    this.onIdle = undefined;
    this.context.onClosed(this);
  }
}
