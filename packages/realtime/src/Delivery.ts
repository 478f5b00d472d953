/*
 * The queue of all notifications. Changes enter in the order of their commits and leave in that order; the
 * notifications of a large import are sent in slices, which keeps the event loop responsive, and later changes wait
 * behind them. An empty queue is processed synchronously: a single write notifies its subscribers before its response
 * is sent.
 */
import { getHeapStatistics } from 'node:v8';
import {
  CLOCK,
  isThenable,
  LOGGER,
  NOTIFIERS,
  realtimeErrors,
  roomEnvelope,
  toEnvelope,
  type Clock,
  type Connection,
  type Cursor,
  type JsonObject,
  type JsonValue,
  type Logger,
  type MaybePromise,
  type NotificationFields,
  type Notifier,
  type Request,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import type { Channel } from './rooms/Channel.js';
import type { Subscription } from './rooms/Membership.js';
import type { Room } from './rooms/Room.js';

const SLICE_MS = 8;
/** Share of the heap for documents with queued notifications: one part in eight. */
const HEAP_SHARE = 8;

/** What is known of a published notification. */
interface Published {
  /** Id of a connection to skip. */
  readonly except?: string | undefined;
  /** Position of its change. */
  readonly cursor?: Cursor | undefined;
}

interface Work {
  readonly run: () => MaybePromise<void>;
  readonly bytes: number;
}

/** Sends notifications to connections, in order. */
@scoped(Scope.ContainerScoped)
export class Delivery {
  private waiting: Work[] = [];
  private waitingBytes = 0;
  private readonly maxWaitingBytes = getHeapStatistics().heap_size_limit / HEAP_SHARE;
  private isScheduled = false;
  /** Connections that published notifications were sent to, in total. */
  receiverCount = 0;
  /** Notifications sent to connections alone, and on channels that they have left. */
  private readonly counts = new WeakMap<Connection, number>();

  constructor(
    @inject(NOTIFIERS) private readonly notifiers: ReadonlyMap<string, Notifier>,
    @inject(CLOCK) private readonly clock: Clock,
    @inject(LOGGER) private readonly log: Logger,
  ) {}

  /** Number of queued notifications. */
  get waitingCount(): number {
    return this.waiting.length;
  }

  /** Whether the queue is full. Subscribers then receive a `gap` notification instead. */
  get isFull(): boolean {
    return this.waitingBytes > this.maxWaitingBytes;
  }

  /** Whether connections of this protocol can receive notifications. */
  reaches(protocol: string): boolean {
    return this.notifiers.has(protocol);
  }

  /** @throws realtime.protocol_not_supported (400) for requests over HTTP and of the embedding program */
  assertReaches({ connection: { protocol }, action }: Request): void {
    if (!this.reaches(protocol)) throw realtimeErrors.protocol_not_supported({ action, protocol });
  }

  /**
   * Runs work that sends notifications, in order. Its recipients are determined when it runs. Everything after it waits
   * for the promise that it returns.
   * @param content the JSON that the work keeps in memory until then; measured if the work is queued
   */
  inOrder(work: () => MaybePromise<void>, content?: JsonValue): void {
    const mustWait = this.isScheduled && content !== undefined;
    const bytes = mustWait ? JSON.stringify(content).length : 0;
    this.waitingBytes += bytes;
    this.waiting.push({ run: work, bytes });
    if (!this.isScheduled) this.drain();
  }

  /** Encodes the envelope of a notification. @param atMs time of the event, UTC milliseconds; absent: now */
  envelope(notification: NotificationFields, atMs = this.clock.nowMs()): string {
    return toEnvelope(notification, atMs);
  }

  /** Encodes the envelope of a notification of the server about a room. @param result without `roomId` */
  roomEnvelope(
    room: Room,
    action: string,
    result: JsonObject,
    more?: Partial<Pick<NotificationFields, 'metadata' | 'cursor'>>,
  ): string {
    return roomEnvelope(room, action, result, this.clock.nowMs(), more);
  }

  /** Sends to all connections in a channel. */
  publish(channel: Channel, envelope: string, about: Published = {}): void {
    const { name, connectionCounts, held } = channel;
    const { except, cursor } = about;
    if (except === undefined) channel.sentCount++;
    for (const [protocol, count] of connectionCounts) {
      this.receiverCount += count;
      this.notifiers.get(protocol)?.publish(name, envelope, except);
    }
    if (held.size === 0) return;
    for (const each of held.values()) {
      if (each.connection.id !== except) each.take(envelope, cursor);
    }
  }

  /** Sends to one connection: on a channel, or as a direct response (null). */
  notify(connection: Connection, channelName: string | null, envelope: string): void {
    const { id, protocol } = connection;
    if (channelName !== null) this.count(connection, 1);
    this.notifiers.get(protocol)?.notify(id, channelName, envelope);
  }

  /** See `Notifier.drained`. */
  drained({ id, protocol }: Connection): Promise<void> | undefined {
    return this.notifiers.get(protocol)?.drained?.(id);
  }

  /** The subscription receives what is published from now on. */
  join(subscription: Subscription): void {
    const { membership, channel } = subscription;
    const { id, protocol } = membership.connection;
    subscription.joinedAt ??= channel.sentCount;
    this.notifiers.get(protocol)?.join(id, channel.name);
  }

  leave(subscription: Subscription): void {
    const { membership, channel, joinedAt } = subscription;
    const { id, protocol } = membership.connection;
    if (joinedAt !== undefined) this.count(membership.connection, channel.sentCount - joinedAt);
    subscription.joinedAt = undefined;
    this.notifiers.get(protocol)?.leave(id, channel.name);
  }

  /** Number of notifications sent to a connection, but user events (RESUME-24). @param subscriptions all of it */
  sentCount(connection: Connection, subscriptions: readonly Subscription[]): number {
    let count = this.counts.get(connection) ?? 0;
    for (const { channel, joinedAt } of subscriptions) {
      if (joinedAt !== undefined) count += channel.sentCount - joinedAt;
    }
    return count;
  }

  private count(connection: Connection, more: number): void {
    this.counts.set(connection, (this.counts.get(connection) ?? 0) + more);
  }

  private drain(): void {
    this.isScheduled = false;
    const endMs = this.clock.monotonicMs() + SLICE_MS;
    const { waiting } = this;
    let done = 0;
    // Work added by this work is processed by the same loop rather than recursively.
    this.isScheduled = true;
    while (done < waiting.length && (done === 0 || this.clock.monotonicMs() < endMs)) {
      const work = waiting[done] as Work;
      const pending = this.run(work.run);
      this.waitingBytes -= work.bytes;
      done++;
      if (pending === undefined) continue;
      this.waiting = waiting.slice(done);
      void pending.then(() => this.drain());
      return;
    }
    this.waiting = waiting.slice(done);
    this.isScheduled = this.waiting.length > 0;
    if (this.isScheduled) setImmediate(() => this.drain());
  }

  /** Never throws, and never rejects. */
  private run(work: () => MaybePromise<void>): Promise<void> | undefined {
    const failed = (error: unknown) => {
      this.log.error({ err: error }, 'a notification could not be sent');
    };
    try {
      const pending = work();
      return isThenable(pending) ? pending.then(undefined, failed) : undefined;
    } catch (error) {
      failed(error);
      return undefined;
    }
  }
}
