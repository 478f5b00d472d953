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
  type ResponseMessage,
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
import type { LoginOutcome } from './logIn.js';
import { PublishPacket, type QualityOfService } from './PublishPacket.js';

const LAST_MESSAGE_ID = 65_535;
// Topic, message id and header of a request in addition to its payload; no client needs longer ones.
const MAX_OVERHEAD_BYTES = 1_024;
// Client id, user name, password (a token has a few kilobytes) and a will that is ignored.
const MAX_CONNECT_BYTES = 65_536;
// The notification that the token has ended is sent first (PROTO-87).
const TOKEN_GRACE_MS = 1_000;
const TOKEN_ERRORS: readonly string[] = ['auth.invalid_token', 'auth.token_expired'];

/** Context shared by all sessions of a server. */
export interface SessionContext {
  readonly host: ProtocolHost;
  readonly config: MqttConfig;
  /** Called once, when the socket has closed. */
  readonly onClosed: (session: ClientSession) => void;
}

type KnownUser = Extract<LoginOutcome, { readonly kind: 'user' }>;

/**
 * One MQTT client: its subscriptions, the requests it publishes, the messages sent to it. It lives as long as the
 * socket; no state is kept for a client that reconnects.
 */
export class ClientSession implements ChannelListener<PublishPacket>, HeldConnection {
  readonly stream: BrokerStream;
  /** Set by CONNECT. */
  clientId = '';
  /** Channels that the connection may subscribe to. */
  readonly channels = new Set<string>();
  private readonly topics = new Map<string, QualityOfService>();
  private readonly outbox: Outbox;
  private user: KnownUser | undefined;
  private dropSubscription: (topic: string) => void = () => undefined;
  private readonly pump: RequestPump;
  private lastMessageId = 0;
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
    });
    this.stream = new BrokerStream(socket, {
      outbox: this.outbox,
      incoming: new HeldBytes(host.bytes.open(connection.remoteAddress)),
      // Clients need not wait for the acknowledgement of CONNECT (MQTT 3.1.1 section 3.1.4).
      maxPacketBytes: (isFirst) =>
        isFirst ? MAX_CONNECT_BYTES : maxMessageBytes + MAX_OVERHEAD_BYTES,
      onRefused: (verdict) => (verdict === 'tooLarge' ? this.refuseSize() : this.close()),
    });
    socket.on('drain', () => this.readOn());
    socket.once('close', () => this.gone());
  }

  get id(): string {
    return this.connection.id;
  }

  get responseTopic(): string {
    return `mqtt.${this.clientId}`;
  }

  /** The user of its credentials; undefined for an anonymous client. */
  get userId(): string | undefined {
    return this.user?.userId;
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
  actAs(user: KnownUser): void {
    this.user = user;
  }

  /** Adds a subscription if the client may have it: to its response topic or a channel of the connection. */
  subscribe(topic: string, qos: number): boolean {
    if (topic !== this.responseTopic && !this.channels.has(topic)) return false;
    this.topics.set(topic, qos === 0 ? 0 : 1);
    return true;
  }

  unsubscribe(topic: string): void {
    this.topics.delete(topic);
  }

  /** Removes a channel that the connection no longer has, together with its subscription. */
  leave(channel: string): void {
    this.channels.delete(channel);
    if (this.topics.delete(channel)) this.dropSubscription(channel);
  }

  /** Sends a message if the client has subscribed to its topic; a client with too many queued bytes is closed. */
  send(packet: PublishPacket): void {
    if (this.isClosed) return;
    const qos = this.topics.get(packet.topic);
    if (qos === undefined) return;
    if (qos === 0) this.outbox.send(packet.withoutAcknowledgement());
    else this.outbox.send(packet.withAcknowledgement(this.nextMessageId()));
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
    if (this.user !== undefined && Date.now() > this.user.expiresAtMs + TOKEN_GRACE_MS)
      this.close();
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
    void this.pump.run(request, ({ message }: Response, parts?: readonly Buffer[]) => {
      const content = parts === undefined ? encodeMessage(message) : Buffer.concat(parts);
      this.send(new PublishPacket(this.responseTopic, content));
      this.followToken(request, message);
    });
  }

  private readOn(): void {
    if (this.isFinishing || this.isClosed || this.outbox.isCongested) return;
    if (!this.pump.isFull) this.stream.release();
  }

  /** One of the connection's requests may refresh its token, or reveal that the token has ended. */
  private followToken(request: Request, message: ResponseMessage): void {
    if (this.user === undefined || request.token !== this.user.token) return;
    const hasEnded = message.error !== null && TOKEN_ERRORS.includes(message.error.id);
    const isLoggedOut = message.status === 200 && message.action === 'logout';
    if (hasEnded || (isLoggedOut && message.controller === 'auth')) {
      this.finish();
      return;
    }
    const renewed = message.status === 200 ? renewedToken(message) : undefined;
    if (renewed !== undefined) this.user = { ...this.user, ...renewed };
  }

  private nextMessageId(): number {
    this.lastMessageId = this.lastMessageId === LAST_MESSAGE_ID ? 1 : this.lastMessageId + 1;
    return this.lastMessageId;
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
    this.connection.lifetime?.close();
    if (this.isAnnounced) {
      this.context.host.connectionClosed(this.connection, this.isSlow ? 'slow' : undefined);
    }
    this.context.onClosed(this);
  }
}

/** The token that `auth.refreshToken` returned in exchange for the one sent. */
function renewedToken(
  message: ResponseMessage,
): Pick<KnownUser, 'token' | 'expiresAtMs'> | undefined {
  if (message.controller !== 'auth' || message.action !== 'refreshToken') return undefined;
  const { jwt, expiresAt } = message.result as Record<string, unknown>;
  if (typeof jwt !== 'string') return undefined;
  return { token: jwt, expiresAtMs: typeof expiresAt === 'number' ? expiresAt : Infinity };
}
