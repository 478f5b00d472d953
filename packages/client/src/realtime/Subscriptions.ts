/*
 * The subscriptions of a client. What the application wants and what the connection has is compared by `#sync`, which
 * runs one request at a time: it leaves rooms, then asks for all due subscriptions together.
 */
import type { Notification, ResponseMessage } from '@millrace/actions';
import type { Session } from '../auth/Session.js';
import { MillraceError } from '../errors/MillraceError.js';
import { NetworkError } from '../errors/NetworkError.js';
import { askDue, type Asked } from './askDue.js';
import { backoffMs } from './backoffMs.js';
import { canonicalJson } from './canonicalJson.js';
import type { Connection } from './Connection.js';
import { EarlyNotifications, type Received } from './EarlyNotifications.js';
import { isCounted } from './isCounted.js';
import type { RealtimeActions } from './RealtimeActions.js';
import { ReceivedCount } from './ReceivedCount.js';
import type { ServerMessage } from './ServerMessage.js';
import { SharedSubscription, type Subscribed, type SubscribedAnswer } from './SharedSubscription.js';
import { Subscriber } from './Subscriber.js';
import { SubscriptionTable } from './SubscriptionTable.js';
import { toError, type Refusal } from './toError.js';
import { unref } from './unref.js';

const REASONS = ['taken_over', 'removed'];

/** One of the answers of `realtime.resume`. */
interface Answer extends Omit<Refusal, 'requestId'> {
  readonly requestId?: string;
  readonly result: SubscribedAnswer | null;
}

/** A subscription whose answer is an error. */
interface Refused {
  readonly shared: SharedSubscription;
  readonly answer: Answer;
}

/** How long an unused connection stays open. */
const IDLE_MS = 2_000;
const NOT_KEPT = {
  reason: 'slow_consumer',
  message: 'too many notifications came before the answer',
};

export class Subscriptions {
  readonly #shared = new SubscriptionTable();
  /** Extensions that need the connection, by what they do with messages. */
  readonly uses = new Set<(message: ServerMessage) => void>();
  readonly #roomsToLeave = new Set<string>();
  readonly #early = new EarlyNotifications();
  readonly #count = new ReceivedCount();
  #isSyncing = false;
  #isSyncDue = false;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly session: Session,
    private readonly connection: Connection,
    private readonly actions: RealtimeActions,
  ) {}

  subscribe(subscribed: Subscribed, cursor: string | undefined): Subscriber {
    const key = canonicalJson(subscribed);
    const shared = this.#shared.get(key) ?? new SharedSubscription(key, subscribed);
    const subscriber: Subscriber = new Subscriber(cursor, {
      leave: () => this.#leave(shared, subscriber),
      presence: (range) => this.actions.presence({ roomId: shared.roomId ?? '', ...range }),
      acknowledge: (position) => shared.acknowledge(position, this.actions),
    });
    this.#shared.add(shared);
    shared.acknowledged = cursor ?? shared.acknowledged;
    shared.subscribers.add(subscriber);
    shared.isDue = true;
    this.#connect();
    void this.#sync();
    return subscriber;
  }

  use(onMessage: (message: ServerMessage) => void): () => void {
    this.uses.add(onMessage);
    this.#connect();
    return () => {
      this.uses.delete(onMessage);
      this.#planIdle();
    };
  }

  #connect(): void {
    clearTimeout(this.#idleTimer);
    this.connection.connect();
  }

  /** The connection is open and has no subscriptions yet. */
  opened(): void {
    this.#count.restart();
    void this.#sync();
  }

  lost(): void {
    this.#roomsToLeave.clear();
    this.#shared.lost();
  }

  /** @param error undefined: the application closed them */
  endAll(error: Error | undefined): void {
    for (const shared of this.#shared.all) this.#end(shared, error);
  }

  /** @param bytes length of the message */
  received(message: ServerMessage, bytes: number): void {
    const { type, room } = message;
    if (type === 'heartbeat') return this.#beat(message);
    if (room === undefined) return;
    const notification = message as Notification;
    if (isCounted(notification)) this.#count.add();
    this.#pass({ channel: room, notification, bytes });
  }

  /** The heartbeat of a stream names its channel. */
  #beat({ cursor, sent, room }: ServerMessage): void {
    const all = room === undefined ? this.#shared.all : (this.#shared.of(room) ?? []);
    const isShort = sent !== undefined && !this.#isSyncing && this.#count.isShortOf(sent);
    if (cursor !== undefined) for (const shared of all) shared.reached(cursor);
    if (isShort) for (const shared of all) shared.lostSome();
    if (all.some(({ isDue }) => isDue)) void this.#sync();
  }

  #pass(received: Received): void {
    const { channel, notification, bytes } = received;
    const all = this.#shared.of(channel);
    if (all === undefined) return this.#early.keep(received);
    let isDue = false;
    const lost = lostName(notification);
    for (const shared of all) {
      if (lost !== undefined) this.#end(shared, lost);
      else if (shared.receive(notification, bytes)) isDue = true;
    }
    if (isDue) void this.#sync();
  }

  #leave(shared: SharedSubscription, subscriber: Subscriber): void {
    shared.subscribers.delete(subscriber);
    if (shared.subscribers.size > 0) return;
    this.#shared.remove(shared);
    if (shared.roomId !== undefined) this.#roomsToLeave.add(shared.roomId);
    void this.#sync();
  }

  #end(shared: SharedSubscription, error: Error | undefined): void {
    this.#shared.remove(shared);
    for (const subscriber of shared.subscribers) subscriber.end(error);
    this.#planIdle();
  }

  async #sync(): Promise<void> {
    this.#isSyncDue = true;
    if (this.#isSyncing) return;
    this.#isSyncing = true;
    // All that is subscribed in one turn is asked for together.
    await Promise.resolve();
    try {
      while (this.#isSyncDue && this.connection.state === 'open') {
        this.#isSyncDue = false;
        while (await this.#step());
      }
    } catch (error) {
      this.#syncFailed(error as Error);
    } finally {
      this.#isSyncing = false;
    }
    this.#planIdle();
  }

  /** Everything is asked for again when the connection is open again. */
  #syncFailed(error: Error): void {
    const isServerSide = error instanceof NetworkError || error instanceof MillraceError;
    if (!isServerSide) this.endAll(error);
    else if (this.connection.state === 'open') this.#later(() => this.lost());
  }

  /** Sends the next request. @returns false if there is nothing to do */
  async #step(): Promise<boolean> {
    for (const roomId of this.#roomsToLeave) {
      this.#roomsToLeave.delete(roomId);
      // That would end all channels of the room (PROTO-72).
      const isUsed = this.#shared.all.some((shared) => shared.roomId === roomId);
      if (isUsed) continue;
      this.#count.unsure();
      await this.#request({ action: 'unsubscribe', roomId }, null);
      return true;
    }
    if (!this.#shared.all.some(({ isDue }) => isDue)) return false;
    const token = await this.session.token();
    // What is asked for while the connection is lost would stay unanswered.
    const asked = this.connection.state === 'open' ? askDue(this.#shared.all) : [];
    if (asked.length === 0) return false;
    this.#early.open();
    if (asked.some(({ shared }) => shared.channel !== undefined)) this.#count.unsure();
    const subscriptions = asked.map(({ item }) => item);
    let refused: Refused[] = [];
    await this.#request({ action: 'resume', body: { subscriptions } }, token, (response) => {
      refused = this.#accept(asked, response);
      this.#passEarly();
    });
    if (refused.length > 0) await this.#handleRefused(refused, token);
    return true;
  }

  /** Takes the answers. @returns those that have an error */
  #accept(asked: readonly Asked[], response: ResponseMessage): Refused[] {
    const { subscriptions: answers = [] } = (response.result ?? {}) as { subscriptions?: Answer[] };
    const refused: Refused[] = [];
    for (const [n, { shared }] of asked.entries()) {
      const answer = answers[n] ?? { ...response, result: null };
      const { result } = answer;
      if (result === null) refused.push({ shared, answer });
      else if (this.#shared.has(shared)) {
        this.#shared.listen(shared, result.channel);
        shared.answered(result);
      }
      // It was closed in the meantime.
      else this.#roomsToLeave.add(result.roomId);
    }
    return refused;
  }

  async #handleRefused(refused: readonly Refused[], token: string | null): Promise<void> {
    const isUnauthorised = refused.some(({ answer }) => answer.status === 401);
    const next = isUnauthorised && token !== null ? await this.session.replace(token).catch(() => null) : null;
    for (const { shared, answer } of refused) {
      const { status, error } = answer;
      const isFirstTime = shared.refusedCount++ === 0;
      if (error?.id === 'realtime.invalid_cursor' && isFirstTime) shared.cursorRefused();
      else if (status === 401 && next !== null && next !== token && isFirstTime) shared.isDue = true;
      else if (status === 429 || status >= 500) this.#later(() => (shared.isDue = true), shared.refusedCount);
      else this.#end(shared, toError({ ...answer, requestId: answer.requestId ?? '' }));
    }
  }

  /** The server could not answer: later again. */
  #later(prepare: () => void, failedCount = 0): void {
    const again = () => {
      prepare();
      void this.#sync();
    };
    unref(setTimeout(again, 1_000 + backoffMs(failedCount)));
  }

  /** Passes on what came before the answer that names its channel. */
  #passEarly(): void {
    const early = this.#early.close();
    for (const received of early ?? []) this.#pass(received);
    if (early !== null) return;
    for (const shared of this.#shared.all) shared.missed(NOT_KEPT);
    void this.#sync();
  }

  #request(
    fields: { readonly action: string; readonly [name: string]: unknown },
    token: string | null,
    onAnswer?: (response: ResponseMessage) => void,
  ): Promise<ResponseMessage> {
    return this.connection.request({ controller: 'realtime', ...fields }, token, onAnswer);
  }

  #planIdle(): void {
    clearTimeout(this.#idleTimer);
    if (this.#shared.all.length + this.uses.size > 0) return;
    this.#idleTimer = unref(setTimeout(() => this.connection.disconnect(), IDLE_MS));
  }
}

/** The error of a subscription that has lost its name for good (RESUME-45, RESUME-46); undefined: it has not. */
function lostName({ action, requestId, result }: Notification): MillraceError | undefined {
  const { reason = '' } = result as { readonly reason?: string };
  if (action !== 'subscriptionEnded' || !REASONS.includes(reason)) return undefined;
  const message = `the name of the subscription was ${reason.replace('_', ' ')}`;
  return new MillraceError({ id: 'realtime.name_not_held', status: 409, message, requestId });
}
