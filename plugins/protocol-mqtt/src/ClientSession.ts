import type { Socket } from 'node:net';
import {
  apiErrors,
  decodeMessage,
  encodeMessage,
  type Connection,
  type MillraceError,
  type ProtocolHost,
  type Request,
  type RequestFields,
  type Response,
} from '@millrace/kernel';
import {
  HeldBytes,
  logSlowConsumer,
  Outbox,
  RequestPump,
  type ChannelListener,
  type HeldConnection,
} from '@millrace/plugin-kit';
import { BrokerStream } from './BrokerStream.js';
import type { MqttConfig } from './config.js';
import { PersistentSession } from './PersistentSession.js';
import { PositionMark } from './PositionMark.js';
import { PublishPacket } from './PublishPacket.js';
import type { SessionUser } from './SessionUser.js';
import { TopicSubscriptions } from './TopicSubscriptions.js';

// Topic, message id and header of a request in addition to its payload; no client needs longer ones.
const MAX_OVERHEAD_BYTES = 1_024;
// Client id, user name, password (a token has a few kilobytes) and a will that is ignored.
const MAX_CONNECT_BYTES = 65_536;
// The notification that the token has ended is sent first (PROTO-87).
const TOKEN_GRACE_MS = 1_000;
// The position of a client whose filters seldom match moves on nevertheless.
const MARK_EVERY_MS = 60_000;

/** Context shared by all sessions of a server. */
export interface SessionContext {
  readonly host: ProtocolHost;
  readonly config: MqttConfig;
  /** Sends a mark after everything published before. */
  readonly afterPublished: (session: ClientSession, mark: PositionMark) => void;
  /** Called once, when the socket has closed. */
  readonly onClosed: (session: ClientSession) => void;
}

/** What a session is given to send. */
export type Outgoing = PublishPacket | PositionMark;

/**
 * One MQTT client: its subscriptions, the requests it publishes, the messages sent to it. It lives as long as the
 * socket; what outlives that is in `PersistentSession`.
 */
export class ClientSession implements ChannelListener<Outgoing>, HeldConnection {
  readonly stream: BrokerStream;
  /** Set by CONNECT. */
  clientId = '';
  /** Channels that the connection may subscribe to. */
  readonly channels = new Set<string>();
  private readonly topics = new TopicSubscriptions();
  private readonly outbox: Outbox;
  private user: SessionUser | undefined;
  private dropSubscription: (topic: string) => void = () => undefined;
  private readonly pump: RequestPump;
  private markedAtMs = -Infinity;
  private reviewAtMs = Infinity;
  private isAnnounced = false;
  private isSlow = false;
  private isFinishing = false;
  private isClosed = false;

  constructor(
    readonly connection: Connection,
    private readonly socket: Socket,
    private readonly context: SessionContext,
  ) {
    const { host, config } = context;
    const { maxMessageBytes, maxRunningRequests } = config;
    const onSlow = (reason: 'bytes' | 'time') => this.cutSlow(reason);
    const account = host.bytes.open(connection.remoteAddress);
    this.outbox = new Outbox(socket, account, { ...config, onSlow });
    this.pump = new RequestPump({
      host,
      connection,
      maxRunningRequests,
      isGone: () => this.isClosed,
      onAnswered: () => {
        if (this.outbox.isCongested && !this.isClosed && !this.isFinishing) this.stream.hold();
        else this.readOn();
      },
      onFlooded: () => this.finish(),
    });
    this.stream = new BrokerStream(
      socket,
      this.outbox,
      new HeldBytes(host.bytes, connection.remoteAddress),
      (isFirst) => (isFirst ? MAX_CONNECT_BYTES : maxMessageBytes + MAX_OVERHEAD_BYTES),
      (verdict) => (verdict === 'tooLarge' ? this.refuseSize() : this.close()),
    );
    socket.on('drain', () => {
      this.outbox.pump();
      this.readOn();
    });
    socket.once('close', () => this.gone());
  }

  get id(): string {
    return this.connection.id;
  }

  get isBehind(): boolean {
    return this.outbox.isBehind;
  }

  /** See `Notifier.drained`. */
  drained(): Promise<void> | undefined {
    return this.outbox.drained() ?? this.persistent?.drained();
  }

  get responseTopic(): string {
    return `mqtt.${this.clientId}`;
  }

  /** Absent if the session ends with the connection. */
  private get persistent(): PersistentSession | undefined {
    return this.topics.persistent;
  }

  /** The user of its credentials; undefined for an anonymous client. */
  get userId(): string | undefined {
    return this.user?.id;
  }

  /** True after CONNECT. */
  get isKnown(): boolean {
    return this.isAnnounced;
  }

  /** @param drop removes a subscription from the broker */
  attach(drop: (topic: string) => void): void {
    this.dropSubscription = drop;
  }

  /** True once its socket has closed or is about to. */
  get isGone(): boolean {
    return this.isClosed;
  }

  /** Called at CONNECT: the connection counts from now on. */
  announce(clientId: string): void {
    this.clientId = clientId;
    if (this.isAnnounced || this.isClosed) return;
    this.isAnnounced = true;
    this.context.host.connectionOpened(this.connection);
  }

  /** Sets the user of requests without a token. */
  actAs(user: SessionUser): void {
    this.user = user;
  }

  /** Call when the token of its user may have been revoked: if so, the connection ends. */
  expectRevocation(): void {
    this.reviewAtMs = Math.min(this.reviewAtMs, performance.now() + TOKEN_GRACE_MS);
  }

  /** Keeps the session of a user. @returns the channels of its earlier connection; undefined for an anonymous client */
  async persist(): Promise<readonly string[] | undefined> {
    if (this.user === undefined) return undefined;
    const persistent = this.openPersistent();
    this.topics.persistent = persistent;
    return persistent.load();
  }

  /** Ends a session that is kept from an earlier connection. */
  async discard(): Promise<void> {
    if (this.user !== undefined) await this.openPersistent().discard();
  }

  /** Sends what the client has missed. Call once its connection is acknowledged. */
  resume(): void {
    if (this.persistent !== undefined) this.whenDone(this.persistent.resume());
  }

  /** The client has acknowledged a message (PUBACK). */
  acknowledged(messageId: number): void {
    this.persistent?.acknowledged(messageId);
  }

  /** Adds a subscription if the client may have it: to its response topic or a channel of the connection. */
  subscribe(topic: string, qos: number): boolean {
    const isOwn = this.channels.has(topic) || this.persistent?.has(topic) === true;
    if (topic !== this.responseTopic && !isOwn) return false;
    this.topics.add(topic, qos);
    return true;
  }

  unsubscribe(topic: string): void {
    if (this.topics.delete(topic)) this.persistent?.unsubscribedTopic(topic);
  }

  /** Removes a channel that the connection no longer has, together with its subscription. */
  leave(channel: string): void {
    this.channels.delete(channel);
    // It may resume.
    if (this.persistent?.has(channel) === true) return;
    if (this.topics.delete(channel)) this.dropSubscription(channel);
  }

  /** Sends a message if the client has subscribed to its topic; a client with too many queued bytes is closed. */
  send(packet: Outgoing): void {
    if (this.isClosed) return;
    const { persistent } = this;
    if (packet instanceof PositionMark) return persistent?.passed(packet.cursor);
    const bytes = this.topics.encode(packet);
    if (bytes !== undefined) this.outbox.send(bytes);
    if (persistent?.isFull === true) this.cutSlow('bytes');
  }

  /** Accepts a published request. While too many of the client's requests run, nothing further is read. */
  take(topic: string, payload: Buffer): void {
    if (this.isFinishing || this.isClosed) return;
    const { maxMessageBytes } = this.context.config;
    if (payload.length > maxMessageBytes) {
      this.refuseSize();
      return;
    }
    this.pump.add(payload.length, () => {
      if (!this.isFinishing && !this.isClosed) this.answer(this.createRequest(topic, payload));
    });
    if (this.pump.isFull) this.stream.hold();
  }

  /** Checks progress and the token's expiry; called regularly. */
  watch(nowMs: number): void {
    if (this.isClosed) return;
    this.outbox.watch(nowMs);
    if (this.persistent !== undefined && nowMs - this.markedAtMs >= MARK_EVERY_MS) this.mark(nowMs);
    if (this.user === undefined) return;
    if (Date.now() > this.user.expiresAtMs + TOKEN_GRACE_MS) this.close();
    else if (nowMs >= this.reviewAtMs) void this.review(this.user);
  }

  /** Stops reading, waits for the responses of running requests, then closes the connection. */
  finish(): void {
    if (this.isFinishing || this.isClosed) return;
    this.isFinishing = true;
    this.stream.hold();
    this.pump.whenIdle(() => this.end());
  }

  /** Closes the connection once all queued data has been sent. */
  end(): void {
    this.outbox.whenEmpty(() => this.socket.end());
    // The client's FIN has to be read.
    this.socket.resume();
  }

  /** Closes the connection at once. */
  close(): void {
    this.isClosed = true;
    this.outbox.close();
    void this.persistent?.close();
    this.connection.lifetime?.close();
    this.stream.destroy();
  }

  private createRequest(topic: string, payload: Buffer): Request {
    const { host } = this.context;
    if (topic !== host.serviceName) {
      const shown = JSON.stringify(topic.slice(0, 100));
      const problem = `requests are published to the topic "${host.serviceName}", not to ${shown}`;
      return this.request({}, apiErrors.invalid_request({ problem }));
    }
    const { fields, fault, bytes } = decodeMessage(payload);
    return this.request(fields, fault, bytes);
  }

  private request(fields: RequestFields, fault?: MillraceError, bytes = 0): Request {
    const { host } = this.context;
    const request = host.createRequest(fields, this.connection, fault, bytes);
    if (this.user === undefined || request.token !== null || request.fault !== null) return request;
    const { requestId } = request;
    const own = { ...fields, requestId, jwt: this.user.token };
    const { persistent } = this;
    if (persistent !== undefined) return persistent.createRequest(own, bytes);
    return host.createRequest(own, this.connection, undefined, bytes);
  }

  private refuseSize(): void {
    // Before CONNECT there is no client to answer.
    if (!this.isAnnounced) {
      this.close();
      return;
    }
    const { maxMessageBytes } = this.context.config;
    this.answer(this.request({}, apiErrors.body_too_large({ maxBytes: maxMessageBytes })));
    this.finish();
  }

  private answer(request: Request): void {
    const send = ({ message }: Response, parts?: readonly Buffer[]) => {
      const instead = this.persistent?.answered(request, message);
      if (instead !== undefined) {
        this.answer(instead);
        return 0;
      }
      const content = parts === undefined ? encodeMessage(message) : Buffer.concat(parts);
      this.send(new PublishPacket(this.responseTopic, content));
      if (this.user?.follow(request, message) === true) this.finish();
      return Buffer.byteLength(content);
    };
    void this.pump.run(request, send, this.persistent?.turnOf(request));
  }

  private readOn(): void {
    if (this.isFinishing || this.isClosed || this.outbox.isCongested) return;
    if (!this.pump.isFull) this.stream.release();
  }

  private openPersistent(): PersistentSession {
    return new PersistentSession({
      host: this.context.host,
      connection: this.connection,
      clientId: this.clientId,
      tokenOf: () => this.user?.token,
      send: (packet) => this.send(packet),
      close: () => this.close(),
      listensTo: (topic) => this.topics.has(topic),
    });
  }

  private async review({ token }: SessionUser): Promise<void> {
    this.reviewAtMs = Infinity;
    const { host } = this.context;
    const asked = { controller: 'auth', action: 'checkToken', body: { token } };
    const { message } = await host.dispatch(host.createRequest(asked, this.connection));
    const { valid } = (message.result ?? {}) as { readonly valid?: boolean };
    // It may have been refreshed in the meantime.
    if (valid === false && this.user?.token === token) this.finish();
  }

  private mark(nowMs: number): void {
    const cursor = this.context.host.sentCursor?.(this.connection.id);
    if (cursor === undefined) return;
    this.markedAtMs = nowMs;
    this.context.afterPublished(this, new PositionMark(cursor));
  }

  private whenDone(work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      this.context.host.log.error({ err: error }, 'an MQTT session could not be kept');
    });
  }

  private cutSlow(reason: 'bytes' | 'time'): void {
    if (this.isClosed) return;
    this.isSlow = true;
    const { waitingBytes } = this.outbox;
    logSlowConsumer(this.context.host, this.connection, { waitingBytes, reason });
    this.close();
  }

  private gone(): void {
    this.isClosed = true;
    this.outbox.close();
    // The last acknowledgements belong to the connection.
    const acknowledged = this.persistent?.close();
    this.connection.lifetime?.close();
    if (acknowledged === undefined) return this.ended();
    this.whenDone(acknowledged.finally(() => this.ended()));
  }

  private ended(): void {
    if (this.isAnnounced) {
      this.context.host.connectionClosed(this.connection, this.isSlow ? 'slow' : undefined);
    }
    this.context.onClosed(this);
  }
}
