import type {
  Connection,
  HttpStream,
  HttpStreamExchange,
  MillraceError,
  ProtocolHost,
  RequestFields,
  ResponseMessage,
} from '@millrace/kernel';
import {
  Heartbeat,
  heartbeatOf,
  logSlowConsumer,
  Outbox,
  type ChannelListener,
  type HeldConnection,
} from '@millrace/plugin-kit';
import { AnswerTarget } from './AnswerTarget.js';
import type { SseConfig } from './config.js';
import { answerEvents, heartbeatEvent, retryLine, type StreamEvent } from './StreamEvent.js';

/** The pause before a reconnect that the server doesn't ask for. */
const RETRY_MS = 2_000;
/** Clients of a stream that has lasted long enough, or that a busy server refuses, come back over this time. */
const RETURN_OVER_MS = 1_000;
const RETURN_TO_BUSY_MS = 5_000;
/** EventSource keeps the pause for all further attempts: without one it would try as fast as it can while no server answers. */
const MIN_RETRY_MS = 500;
const BUSY = 503;

/** Context shared by all streams. */
export interface StreamContext {
  readonly host: ProtocolHost;
  readonly config: SseConfig;
  /** Sends an event after everything that was published before. */
  readonly sendInOrder: (stream: EventStream, event: StreamEvent) => void;
  /** Called when the stream has ended. */
  readonly onClosed: (stream: EventStream) => void;
}

/** What the client asked for. */
export interface StreamAsked {
  readonly exchange: HttpStreamExchange;
  readonly fields: RequestFields;
  readonly fault?: MillraceError | undefined;
}

/**
 * One answer with events. It exists before its subscription is made, since notifications may come with the answer to
 * it: they are kept until then.
 */
export class EventStream implements HttpStream, HeldConnection, ChannelListener<StreamEvent> {
  /** Why the server closed it, if the statistics count that. */
  cause: 'slow' | undefined;
  readonly heartbeat: Heartbeat;
  readonly fields: RequestFields;
  readonly fault: MillraceError | undefined;
  private readonly exchange: HttpStreamExchange;
  private outbox: Outbox | undefined;
  private early: StreamEvent[] = [];
  private earlyBytes = 0;
  private endAtMs = Infinity;
  private isAnswered = false;
  private isOpen = false;
  private isFinishing = false;
  private retryAfterMs = RETRY_MS;

  constructor(
    readonly connection: Connection,
    { exchange, fields, fault }: StreamAsked,
    private readonly context: StreamContext,
  ) {
    this.exchange = exchange;
    this.fields = fields;
    this.fault = fault;
    this.heartbeat = new Heartbeat(context.config.heartbeatMs);
    const { response } = exchange;
    // Without a listener, a write after the client has gone would end the process.
    response.on('error', () => response.destroy());
    response.once('close', () => {
      connection.lifetime?.close();
      if (this.isAnswered) this.closed();
    });
  }

  get id(): string {
    return this.connection.id;
  }

  get isBehind(): boolean {
    return this.outbox?.isBehind === true;
  }

  /** See `Notifier.drained`. */
  drained(): Promise<void> | undefined {
    return this.outbox?.drained();
  }

  answer(message: ResponseMessage): boolean {
    this.isAnswered = true;
    if (message.status === 200) return this.begin(message);
    const { response } = this.exchange;
    const isLater = message.status === BUSY && !response.destroyed;
    if (isLater) {
      // EventSource would not try again after a 503.
      this.writeHead({});
      response.end(retryLine(RETRY_MS + Math.random() * RETURN_TO_BUSY_MS));
    }
    this.closed();
    return isLater;
  }

  /** Sends one event; a client with too many waiting bytes is cut off instead. */
  send(event: StreamEvent): void {
    if (this.isFinishing || this.exchange.response.destroyed) return;
    if (this.outbox !== undefined) this.outbox.send(event.bytes);
    else this.keep(event);
    if (event.isLast) this.finish(RETRY_MS);
  }

  /** Checks progress and age; called regularly. */
  watch(nowMs: number): void {
    const { outbox } = this;
    if (outbox === undefined) return;
    outbox.watch(nowMs);
    if (this.isFinishing) return;
    if (!outbox.isCongested && this.heartbeat.isDue(nowMs)) this.sendHeartbeat();
    if (nowMs >= this.endAtMs) this.finish(Math.random() * RETURN_OVER_MS);
  }

  /** Ends the stream once everything has been sent. */
  finish(retryAfterMs: number): void {
    if (this.isFinishing) return;
    this.isFinishing = true;
    this.retryAfterMs = Math.max(MIN_RETRY_MS, retryAfterMs);
    if (this.outbox !== undefined) this.end(this.outbox);
  }

  /** Cuts the client off; it resumes from its last event. */
  terminate(): void {
    this.exchange.response.destroy();
  }

  private begin(message: ResponseMessage): true {
    const { host, config } = this.context;
    const { connection } = this;
    const { response } = this.exchange;
    host.connectionOpened(connection);
    this.isOpen = true;
    if (response.destroyed) {
      this.closed();
      return true;
    }
    const { resumed, cursor } = message.result as {
      readonly resumed?: boolean;
      readonly cursor?: string;
    };
    // While missed notifications follow, the position of the client is that of the last one.
    const position = resumed === true || cursor === undefined ? {} : { cursor };
    this.writeHead(position);
    const account = host.bytes.open(connection.remoteAddress);
    const onSlow = (reason: 'bytes' | 'time') => this.cutSlow(reason);
    const outbox = new Outbox(new AnswerTarget(response), account, { ...config, onSlow });
    response.on('drain', () => outbox.pump());
    this.outbox = outbox;
    outbox.send(retryLine(RETRY_MS));
    for (const { bytes } of answerEvents(message, position)) outbox.send(bytes);
    for (const { bytes } of this.early) outbox.send(bytes);
    this.early = [];
    // Without a position the client could not resume.
    if (cursor !== undefined) {
      this.endAtMs = performance.now() + config.maxStreamMs * (1 - Math.random() / 10);
    }
    this.heartbeat.start();
    if (this.isFinishing) this.end(outbox);
    return true;
  }

  private sendHeartbeat(): void {
    const { host, sendInOrder } = this.context;
    sendInOrder(this, heartbeatEvent(heartbeatOf(host, this.connection)));
  }

  private writeHead({ cursor }: { readonly cursor?: string }): void {
    const { response, headers } = this.exchange;
    response.writeHead(200, {
      ...headers,
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      // Nginx would collect the events.
      'X-Accel-Buffering': 'no',
      'X-Content-Type-Options': 'nosniff',
      ...(cursor !== undefined && { 'Millrace-Cursor': cursor }),
    });
    response.flushHeaders();
  }

  private keep(event: StreamEvent): void {
    this.early.push(event);
    this.earlyBytes += event.length;
    if (this.earlyBytes > this.context.config.maxWaitingBytes) this.cutSlow('bytes');
  }

  private end(outbox: Outbox): void {
    outbox.send(retryLine(this.retryAfterMs));
    outbox.whenEmpty(() => this.exchange.response.end());
  }

  private cutSlow(reason: 'bytes' | 'time'): void {
    const { response } = this.exchange;
    if (response.destroyed) return;
    this.cause = 'slow';
    const waitingBytes = this.outbox?.waitingBytes ?? this.earlyBytes;
    logSlowConsumer(this.context.host, this.connection, { waitingBytes, reason });
    response.destroy();
  }

  private closed(): void {
    this.isFinishing = true;
    this.early = [];
    this.outbox?.close();
    this.connection.lifetime?.close();
    const { onClosed, host } = this.context;
    onClosed(this);
    if (!this.isOpen) return;
    this.isOpen = false;
    host.connectionClosed(this.connection, this.cause);
  }
}
