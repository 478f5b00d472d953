/*
 * The one queue of notifications. Changes come in the order of their commits and leave in it; what a large import has to
 * tell is sent in slices, so that it never holds the event loop, and whatever comes meanwhile waits its turn behind it.
 * An empty queue is worked off at once: a single write notifies its subscribers before its own answer goes out.
 */
import { getHeapStatistics } from 'node:v8';
import {
  CLOCK,
  LOGGER,
  NOTIFIERS,
  type Clock,
  type Connection,
  type Logger,
  type Notifier,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { toEnvelope, type Notification } from './Notification.js';
import type { Channel } from './rooms/Channel.js';

const SLICE_MS = 8;
/** Of the heap, for documents whose notifications wait. */
const HEAP_SHARE = 8;

interface Work {
  readonly run: () => void;
  readonly bytes: number;
}

/** Sends notifications. */
@scoped(Scope.ContainerScoped)
export class Delivery {
  private waiting: Work[] = [];
  private waitingBytes = 0;
  private readonly maxWaitingBytes = getHeapStatistics().heap_size_limit / HEAP_SHARE;
  private isScheduled = false;

  constructor(
    @inject(NOTIFIERS) private readonly notifiers: ReadonlyMap<string, Notifier>,
    @inject(CLOCK) private readonly clock: Clock,
    @inject(LOGGER) private readonly log: Logger,
  ) {}

  /** Notifications that wait to be sent. */
  get waitingCount(): number {
    return this.waiting.length;
  }

  /** Does so much wait that more must not be kept? Whoever would have been notified is notified of a gap then. */
  get isFull(): boolean {
    return this.waitingBytes > this.maxWaitingBytes;
  }

  /** Can connections of this protocol hear anything? */
  reaches(protocol: string): boolean {
    return this.notifiers.has(protocol);
  }

  /**
   * Runs work that sends, in order. Whom it reaches is decided when it runs.
   * @param content what the work keeps in memory until then; measured where it has to wait
   */
  inOrder(work: () => void, content?: unknown): void {
    const mustWait = this.isScheduled && content !== undefined;
    const bytes = mustWait ? JSON.stringify(content).length : 0;
    this.waitingBytes += bytes;
    this.waiting.push({ run: work, bytes });
    if (!this.isScheduled) this.drain();
  }

  /** The envelope of a notification. @param atMs of what it tells, UTC milliseconds; absent: now */
  envelope(notification: Notification, atMs = this.clock.nowMs()): string {
    return toEnvelope(notification, atMs);
  }

  /** To all in a channel, but perhaps one connection. */
  publish(
    { name, connectionCounts }: Channel,
    envelope: string,
    exceptConnectionId?: string,
  ): void {
    for (const protocol of connectionCounts.keys()) {
      this.notifiers.get(protocol)?.publish(name, envelope, exceptConnectionId);
    }
  }

  /** To one connection: on a channel, or where its direct responses go (null). */
  tell({ id, protocol }: Connection, channelName: string | null, envelope: string): void {
    this.notifiers.get(protocol)?.tell(id, channelName, envelope);
  }

  join({ id, protocol }: Connection, channelName: string): void {
    this.notifiers.get(protocol)?.join(id, channelName);
  }

  leave({ id, protocol }: Connection, channelName: string): void {
    this.notifiers.get(protocol)?.leave(id, channelName);
  }

  private drain(): void {
    this.isScheduled = false;
    const endMs = this.clock.monotonicMs() + SLICE_MS;
    const { waiting } = this;
    let done = 0;
    // What the work itself adds is worked off here too, not inside of it.
    this.isScheduled = true;
    while (done < waiting.length && (done === 0 || this.clock.monotonicMs() < endMs)) {
      const work = waiting[done] as Work;
      this.run(work.run);
      this.waitingBytes -= work.bytes;
      done++;
    }
    this.waiting = waiting.slice(done);
    this.isScheduled = this.waiting.length > 0;
    if (this.isScheduled) setImmediate(() => this.drain());
  }

  private run(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.log.error({ err: error }, 'a notification could not be sent');
    }
  }
}
