/*
 * A subscription of the connection, shared by all subscribers with the same filter and options.
 *
 * It is asked for with `realtime.resume`, from the earliest position of the subscribers that are not live. The server
 * answers, sends what was missed, then `resumed`, then live notifications. Each subscriber drops what it has.
 */
import type { JsonObject, Notification } from '@millrace/actions';
import { NetworkError } from '../errors/NetworkError.js';
import type { RealtimeActions } from './RealtimeActions.js';
import type { Subscriber } from './Subscriber.js';
import { isEffect } from './isEffect.js';
import type { Gap, RealtimeEvent } from './RealtimeEvent.js';

/** What is subscribed: the fields of `realtime.subscribe`. */
export interface Subscribed {
  readonly index: string;
  readonly collection: string;
  readonly filter: object;
  readonly mode: 'events' | 'state' | 'auto';
  readonly scope?: string;
  readonly users?: string;
  readonly presence?: JsonObject;
  readonly name?: string;
}

/** The answer of the server to one subscription. */
export interface SubscribedAnswer {
  readonly roomId: string;
  readonly channel: string;
  readonly cursor?: string;
  readonly resumed: boolean;
  readonly gap?: { readonly reason: string; readonly message: string };
}

const NOT_RECORDED = { reason: 'not_recorded', message: 'the server records no changes' };
const LOST = { reason: 'lost', message: 'the server has sent more notifications than arrived' };
const CURSOR_UNKNOWN = { reason: 'epoch_changed', message: 'the server does not know the cursor' };

export class SharedSubscription {
  readonly subscribers = new Set<Subscriber>();
  /** Where its notifications arrive; undefined until the server has answered. */
  channel: string | undefined;
  roomId: string | undefined;
  /** It has to be asked for. */
  isDue = true;
  /** Refusals in a row. */
  refusedCount = 0;
  /** Of one with a name: position up to which this client has acknowledged. */
  acknowledged: string | undefined;
  #phase: 'none' | 'asked' | 'replaying' | 'live' = 'none';
  /** The position it was asked for. */
  #askedFrom: string | undefined;
  /** The server refused the position. */
  #isCursorUnknown = false;
  /** The effects of missed changes, which count together once the server has resumed (RESUME-12). */
  #effects: { readonly event: RealtimeEvent<unknown>; readonly bytes: number }[] = [];

  constructor(
    readonly key: string,
    private readonly subscribed: Subscribed,
  ) {}

  /** Asks for the subscription: the item of a request. */
  ask(): object {
    this.isDue = false;
    this.#phase = 'asked';
    this.#effects = [];
    const all = [...this.subscribers];
    const cursors = all.flatMap(({ isLive, cursor = [] }) => (isLive ? [] : cursor)).sort();
    // With a name, a position acknowledges everything up to it (RESUME-41).
    const first = this.#isNamed ? this.acknowledged : cursors[0];
    const from = this.#isCursorUnknown ? undefined : first;
    this.#askedFrom = this.#isNamed ? '' : from;
    // The effect of all changes since the earliest position says nothing to those that are at a later one.
    const isSame = all.every(({ cursor }) => cursor === undefined || cursor === from);
    return {
      ...this.subscribed,
      ...(from !== undefined && { cursor: from }),
      ...(!isSame && { mode: 'events' }),
    };
  }

  answered({ roomId, channel, cursor, resumed, gap }: SubscribedAnswer): void {
    this.channel = channel;
    this.roomId = roomId;
    this.refusedCount = 0;
    this.#phase = resumed ? 'replaying' : 'live';
    // The missed events are also for those without a position.
    if (resumed && this.#isNamed) for (const each of this.subscribers) each.cursor ??= '';
    if (resumed) return;
    const { reason, message } = this.#isCursorUnknown ? CURSOR_UNKNOWN : (gap ?? NOT_RECORDED);
    const missed = { reason, message, ...(cursor !== undefined && { cursor }) };
    this.#start((subscriber) => subscriber.started(cursor, missed, this.#isNamed));
    this.#isCursorUnknown = false;
  }

  async acknowledge(cursor: string, { ack }: RealtimeActions): Promise<void> {
    this.acknowledged = cursor;
    if (this.channel === undefined) return;
    const { name = '' } = this.subscribed;
    await ack({ name, cursor }).catch((error: unknown) => {
      // It is sent when the subscription resumes.
      if (!(error instanceof NetworkError)) throw error;
    });
  }

  /** The server doesn't know the position, after a restored backup for example: a gap. */
  cursorRefused(): void {
    this.#isCursorUnknown = this.isDue = true;
    this.acknowledged = undefined;
  }

  /** The connection was lost. */
  lost(): void {
    this.channel = this.roomId = undefined;
    this.ended();
  }

  /** The server has ended the subscription, or must send events again. */
  ended(): void {
    this.#phase = 'none';
    this.isDue = true;
    for (const subscriber of this.subscribers) subscriber.interrupted();
  }

  /** @returns whether the subscription has to be asked for again */
  receive(notification: Notification, bytes: number): boolean {
    const { controller, action } = notification;
    if (controller === 'auth' || action === 'subscriptionEnded') this.ended();
    else if (action === 'gap') this.missed(notification.result);
    else if (action === 'resumed') this.#resumed(notification.result.cursor);
    else {
      const event = toEvent(notification);
      if (event !== undefined && isEffect(event)) {
        this.#effects.push({ event, bytes });
        return this.isDue;
      }
      const isReplaying = this.#phase === 'replaying';
      if (event !== undefined) for (const each of [...this.subscribers]) each.receive(event, bytes, isReplaying);
    }
    return this.isDue;
  }

  /** All notifications up to this position have been sent (RESUME-23). */
  reached(cursor: string): void {
    // The server has finished, but its last notification is missing.
    if (this.#phase === 'replaying') this.isDue = true;
    for (const each of this.subscribers) if (each.isLive && each.cursor !== undefined) each.reached(cursor);
  }

  /** Notifications are missing: they are asked for, if the server has recorded them. */
  missed(gap: Omit<Gap, 'kind'>): void {
    for (const subscriber of this.subscribers) {
      if (subscriber.cursor === undefined) subscriber.missed(gap);
      else {
        subscriber.interrupted();
        this.isDue = true;
      }
    }
  }

  /** A heartbeat has counted more notifications than have arrived (RESUME-24). */
  lostSome(): void {
    for (const each of this.subscribers) each.lost(LOST);
  }

  get #isNamed(): boolean {
    return this.subscribed.name !== undefined;
  }

  #resumed(cursor: string): void {
    // Of an earlier request, or notifications were lost meanwhile.
    if (this.#phase !== 'replaying' || this.isDue) return;
    this.#phase = 'live';
    for (const { event, bytes } of this.#effects.splice(0)) {
      for (const each of [...this.subscribers]) each.receive(event, bytes, true);
    }
    this.#start((subscriber) => subscriber.resumed(cursor));
  }

  #start(start: (subscriber: Subscriber) => void): void {
    const from = this.#askedFrom;
    for (const subscriber of this.subscribers) {
      if (subscriber.isLive) continue;
      const { cursor } = subscriber;
      // It came after the request, with an earlier position.
      const isLate = cursor !== undefined && (from === undefined || cursor < from);
      if (isLate && !this.#isCursorUnknown) this.isDue = true;
      else start(subscriber);
    }
  }
}

/** The event of a notification; undefined for one that isn't for the application. */
function toEvent(notification: Notification): RealtimeEvent<unknown> | undefined {
  const { controller, cursor, replayed = false, timestamp, metadata, state } = notification;
  if (state !== 'done') return undefined;
  const origin = { ...(cursor !== undefined && { cursor }), replayed, timestamp, metadata };
  if (controller === 'document') {
    const { action, scope, result } = notification;
    const { _id: id, _version: version, _meta: meta } = result;
    if (scope === 'out') return { kind: 'left', action, id, version, meta, ...origin };
    return { kind: 'changed', action, id, version, source: result._source, meta, ...origin };
  }
  if (controller !== 'realtime') return undefined;
  switch (notification.action) {
    case 'publish': {
      const { _id: id, _source: source } = notification.result;
      return { kind: 'message', source, ...(id !== undefined && { id }), ...origin };
    }
    case 'subscribe':
    case 'unsubscribe': {
      const { roomId: _, ...user } = notification.result;
      return { kind: 'users', change: notification.user, ...user, ...origin };
    }
    default:
      return undefined;
  }
}
