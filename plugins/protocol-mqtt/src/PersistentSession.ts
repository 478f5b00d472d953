/*
 * A session that outlives its connection (`clean` = 0 of a user): each subscription is a named one of that user, so the
 * server keeps filter and position, and the change log keeps what the client misses. Nothing is queued here. The client
 * acknowledges with PUBACK; what it has not acknowledged is sent again after a reconnect (MQTT 3.1.1 section 4.4), with
 * new message ids.
 */
import {
  roomEnvelope,
  type Connection,
  type Cursor,
  type JsonObject,
  type ProtocolHost,
  type Request,
  type RequestFields,
  type ResponseMessage,
} from '@millrace/kernel';
import { InFlight, type Reached } from './InFlight.js';
import { PublishPacket } from './PublishPacket.js';
import { namePrefix, subscriptionName } from './SessionNames.js';

const ACKNOWLEDGE_AFTER_MS = 500;
/** Of 65,535 message ids: a client that reads and never acknowledges is too slow. */
const MAX_IN_FLIGHT = 10_000;

/** What `PersistentSession` needs. */
export interface PersistentSessionParts {
  readonly host: ProtocolHost;
  readonly connection: Connection;
  readonly clientId: string;
  /** The current token of the user. */
  readonly tokenOf: () => string | undefined;
  readonly send: (packet: PublishPacket) => void;
  /** Ends the connection. */
  readonly close: () => void;
  /** Whether the client has subscribed to the topic. */
  readonly listensTo: (topic: string) => boolean;
}

/** A subscription of the session. */
interface NamedChannel {
  readonly channel: string;
  /** Fields of its request, with its name. */
  readonly fields: JsonObject;
  /** False while messages of the channel are not passed on: they are replayed afterwards. */
  isReady: boolean;
  /** Position that is not yet acknowledged to the server. */
  cursor: Cursor | undefined;
}

/** The named subscriptions of one MQTT client. */
export class PersistentSession {
  private readonly channels = new Map<string, NamedChannel>();
  private readonly inFlight = new InFlight();
  private acknowledging: Promise<unknown> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;
  /** Fields of requests that this session has named. */
  private readonly named = new WeakMap<Request, RequestFields>();
  /** True once the loaded subscriptions have been resumed. */
  private isOpen = false;
  private resuming: Promise<void> | undefined;
  /** True once the server has refused names because it records no changes. */
  private isPlain = false;

  constructor(private readonly parts: PersistentSessionParts) {}

  /** True once so many messages are unacknowledged that the connection is closed. */
  get isFull(): boolean {
    return this.inFlight.count >= MAX_IN_FLIGHT;
  }

  /** See `InFlight.drained`. */
  drained(): Promise<void> | undefined {
    return this.inFlight.drained();
  }

  /** Reads the subscriptions of an earlier connection. @returns their channels */
  async load(): Promise<readonly string[]> {
    for (const { channel, name, index, collection, filter, scope, state, users } of await this.stored()) {
      const fields = { index, collection, filter, scope, state, users, name } as JsonObject;
      this.channels.set(channel, { channel, fields, isReady: false, cursor: undefined });
    }
    return [...this.channels.keys()];
  } // prettier-ignore

  /** Ends the subscriptions of an earlier connection (MQTT-3.1.2-6). */
  async discard(): Promise<void> {
    const stored = await this.stored();
    await Promise.all(stored.map(({ name }) => this.ask('deleteName', { name })));
  }

  /** Resumes the loaded subscriptions. Call after CONNACK. */
  resume(): Promise<void> {
    this.resuming = this.resumeLoaded().finally(() => (this.isOpen = true));
    return this.resuming;
  }

  /**
   * Wait for it before a request of the client runs; undefined: run it now. One that resumes a loaded subscription too
   * would be answered after its replay, which is sent once.
   */
  turnOf({ controller, action }: Request): Promise<void> | undefined {
    const isSubscription = controller === 'realtime' && action === 'subscribe';
    return this.isOpen || !isSubscription ? undefined : this.resuming;
  }

  /** Whether the client may subscribe to this topic, because it is a channel of the session. */
  has(topic: string): boolean {
    return this.channels.has(topic);
  }

  /** Makes a request of the client: a subscription gets a name. */
  createRequest(fields: RequestFields, bytes: number): Request {
    const { host, connection, clientId } = this.parts;
    const { controller, action, name = null } = fields as JsonObject;
    const isSubscription = controller === 'realtime' && action === 'subscribe';
    if (!isSubscription || name !== null || this.isPlain) {
      return host.createRequest(fields, connection, undefined, bytes);
    }
    const own = { ...fields, name: subscriptionName(clientId, fields) };
    const request = host.createRequest(own, connection, undefined, bytes);
    this.named.set(request, fields);
    return request;
  }

  /**
   * Call with each answer to a request of the client, before it is sent.
   * @returns a request to run instead: on a server without a change log the subscription ends with the connection
   */
  answered(request: Request, { controller, action, error, result }: ResponseMessage): Request | undefined {
    if (controller !== 'realtime') return undefined;
    const fields = this.named.get(request);
    if (error === null && action === 'unsubscribe') this.left((result as JsonObject).roomId as string);
    if (fields === undefined) return undefined;
    if (error === null) this.subscribed(fields, result as JsonObject);
    if (error?.id !== 'realtime.no_change_log') return undefined;
    this.isPlain = true;
    return this.createRequest(fields, request.bytes);
  } // prettier-ignore

  /** The client has subscribed to the topic of a channel: what it has missed until now is sent. */
  subscribedTopic(topic: string): void {
    const named = this.channels.get(topic);
    if (named === undefined || named.isReady || !this.isOpen) return;
    void this.acknowledging
      .then(() => this.ask('subscribe', named.fields))
      .then((answer) => this.resumed(named, answer));
  }

  /** The client doesn't want the topic any more: its subscription ends. */
  unsubscribedTopic(topic: string): void {
    const named = this.channels.get(topic);
    if (named === undefined) return;
    this.channels.delete(topic);
    void this.ask('deleteName', { name: named.fields.name });
  }

  /** Whether a message on the topic is sent now. */
  isReady(topic: string): boolean {
    return this.channels.get(topic)?.isReady !== false;
  }

  isUsed(messageId: number): boolean {
    return this.inFlight.has(messageId);
  }

  /** A message was sent. @param messageId absent: with QoS 0 */
  sent(packet: PublishPacket, messageId?: number): void {
    if (!this.channels.has(packet.topic)) return;
    if (messageId === undefined) this.reached(this.inFlight.pass(packet.topic, packet.cursor));
    else this.inFlight.add(packet.topic, messageId, packet.cursor);
  }

  /** PUBACK. */
  acknowledged(messageId: number): void {
    this.reached(this.inFlight.acknowledge(messageId));
  }

  /** Everything up to this position has been sent to the client. */
  passed(cursor: Cursor): void {
    for (const { channel, isReady } of this.channels.values()) {
      if (isReady) this.reached(this.inFlight.pass(channel, cursor));
    }
  }

  /** Resolves once the last acknowledgements have been passed on. */
  close(): Promise<unknown> {
    clearTimeout(this.timer);
    this.inFlight.close();
    this.acknowledge();
    return this.acknowledging;
  }

  private async resumeLoaded(): Promise<void> {
    const loaded = [...this.channels.values()];
    if (loaded.length === 0) return;
    const body = { subscriptions: loaded.map(({ fields }) => fields) };
    const answer = await this.ask('resume', { body });
    const answers = (answer.result as { subscriptions?: readonly ResponseMessage[] } | null)?.subscriptions;
    loaded.forEach((named, at) => this.resumed(named, answers?.[at] ?? answer));
  } // prettier-ignore

  private subscribed(fields: RequestFields, result: JsonObject): void {
    const { channel, cursor, name, resumed, gap } = result;
    if (typeof channel !== 'string' || typeof name !== 'string') return;
    const { index, collection, query, body, scope, state, users } = fields as JsonObject;
    const filter = fields['filter'] ?? (query && { query }) ?? body ?? {};
    const asked = { index, collection, filter, scope, state, users, name };
    const given = Object.entries(asked).filter(([, value]) => value !== undefined && value !== null);
    // Messages that were not passed on until now are replayed after this answer.
    const isReady = this.parts.listensTo(channel);
    const isNew = resumed === false && gap === undefined;
    this.channels.set(channel, {
      channel,
      fields: Object.fromEntries(given) as JsonObject,
      isReady,
      // A new session begins here, whether or not the client ever acknowledges a message.
      cursor: isNew ? (cursor as Cursor) : this.channels.get(channel)?.cursor,
    });
    this.acknowledge();
  } // prettier-ignore

  private left(roomId: string): void {
    for (const channel of this.channels.keys()) {
      if (channel.startsWith(`${roomId}-`)) this.unsubscribedTopic(channel);
    }
  }

  private resumed(named: NamedChannel, answer: Pick<ResponseMessage, 'error' | 'result'>): void {
    const current = this.channels.get(named.channel);
    if (current === undefined) return;
    current.isReady = true;
    const { host, send, close } = this.parts;
    const notify = (action: string, about: JsonObject) => {
      const { channel, fields } = named;
      const { index, collection } = fields as { readonly index: string; readonly collection: string };
      const room = { id: channel.slice(0, channel.indexOf('-')), index, collection };
      send(new PublishPacket(channel, roomEnvelope(room, action, about, Date.now())));
    };
    if (answer.error !== null) {
      host.log.debug({ error: answer.error }, 'an MQTT session could not be resumed');
      // The next connection resumes it.
      if (answer.error.status >= 500) return close();
      return notify('subscriptionEnded', { reason: answer.error.message });
    }
    const { resumed, gap, cursor } = answer.result as JsonObject;
    if (resumed === true) return;
    // Without a gap: the position of the first answer was lost with the server.
    const why = (gap ?? { reason: 'not_recorded', message: 'the position of the session is unknown' }) as JsonObject;
    notify('gap', { ...why, ...(cursor !== undefined && { cursor }) });
  } // prettier-ignore

  private reached(reached: Reached | undefined): void {
    const named = reached && this.channels.get(reached.topic);
    if (named === undefined) return;
    named.cursor = reached?.cursor;
    this.timer ??= setTimeout(() => this.acknowledge(), ACKNOWLEDGE_AFTER_MS).unref();
  }

  private acknowledge(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    for (const named of this.channels.values()) {
      const { cursor, fields } = named;
      if (cursor === undefined) continue;
      named.cursor = undefined;
      const done = this.ask('ack', { name: fields.name, cursor });
      this.acknowledging = this.acknowledging.then(() => done);
    }
  }

  private async stored(): Promise<readonly StoredName[]> {
    const { result } = await this.ask('listNames', {});
    const { names = [] } = (result ?? {}) as { names?: readonly StoredName[] };
    const prefix = namePrefix(this.parts.clientId);
    return names.filter(({ name }) => name.startsWith(prefix));
  }

  private async ask(action: string, fields: RequestFields): Promise<ResponseMessage> {
    const { host, connection, tokenOf } = this.parts;
    const asked = { controller: 'realtime', action, jwt: tokenOf() ?? null, ...fields };
    const { message } = await host.dispatch(host.createRequest(asked, connection));
    return message;
  }
}

/** As `realtime.listNames` returns it. */
type StoredName = JsonObject & { readonly name: string; readonly channel: string };
