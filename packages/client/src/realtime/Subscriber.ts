import { NetworkError } from '../errors/NetworkError.js';
import { EventQueue } from './EventQueue.js';
import { isEffect } from './isEffect.js';
import type { Gap, RealtimeEvent } from './RealtimeEvent.js';
import type { PresenceList, Subscription, SubscriptionStatus } from './Subscription.js';

interface Listeners<T> {
  readonly event: Set<(event: RealtimeEvent<T>) => void>;
  readonly gap: Set<(gap: Gap) => void>;
  readonly status: Set<(status: SubscriptionStatus) => void>;
}

/** What a subscriber needs of the others. */
export interface SubscriberContext {
  /** Called once, by `close`. */
  leave(): void;
  presence(range: { readonly from?: number; readonly size?: number }): Promise<PresenceList>;
  acknowledge(cursor: string): Promise<void>;
}

/** One `subscribe` of the application: what it has received so far, and who reads it. */
export class Subscriber<T = unknown> implements Subscription<T> {
  readonly ready: Promise<void>;
  #status: SubscriptionStatus = 'connecting';
  #error: Error | undefined;
  #settleReady: (error?: Error) => void = () => undefined;
  /** Only one that was live can have missed something. */
  #wasLive: boolean;
  readonly #queue = new EventQueue<T>();
  readonly #listeners: Listeners<T> = { event: new Set(), gap: new Set(), status: new Set() };

  constructor(
    public cursor: string | undefined,
    private readonly context: SubscriberContext,
  ) {
    this.#wasLive = cursor !== undefined;
    this.ready = new Promise((resolve, reject) => {
      this.#settleReady = (error) => (error === undefined ? resolve() : reject(error));
    });
    // The end is also reported by the status and by reading.
    this.ready.catch(() => undefined);
  }

  get status(): SubscriptionStatus {
    return this.#status;
  }

  get error(): Error | undefined {
    return this.#error;
  }

  get isLive(): boolean {
    return this.#status === 'live';
  }

  on(type: keyof Listeners<T>, listener: (value: never) => void): () => void {
    const listeners = this.#listeners[type] as Set<unknown>;
    listeners.add(listener);
    if (type === 'event') queueMicrotask(() => this.#flush());
    return () => listeners.delete(listener);
  }

  [Symbol.asyncIterator](): AsyncIterator<RealtimeEvent<T>, undefined> {
    return {
      next: () => this.#queue.next(),
      return: async () => {
        this.close();
        return { value: undefined, done: true };
      },
    };
  }

  async presence(range: { readonly from?: number; readonly size?: number } = {}) {
    if (!this.isLive) throw new NetworkError('the subscription is not live');
    return this.context.presence(range);
  }

  acknowledge(cursor: string): Promise<void> {
    return this.context.acknowledge(cursor);
  }

  close(): void {
    if (this.#status === 'ended') return;
    this.context.leave();
    this.end(undefined);
  }

  /** Takes an event, unless it has it. @param isReplaying missed events are being sent */
  receive(event: RealtimeEvent<unknown>, bytes: number, isReplaying: boolean): void {
    const { cursor } = event;
    if (cursor === undefined) {
      // A message isn't sent again. The effect of missed changes is for those that have a position.
      const isForIt = isEffect(event) ? this.cursor !== undefined : this.isLive || this.#wasLive;
      if (isForIt) this.#deliver(event as RealtimeEvent<T>, bytes);
      return;
    }
    if (this.cursor !== undefined && cursor <= this.cursor) return;
    // Before the missed events: it comes again after them.
    if (!this.isLive && (!isReplaying || this.cursor === undefined)) return;
    this.cursor = cursor;
    this.#deliver(event as RealtimeEvent<T>, bytes);
  }

  /** Everything up to this position has arrived. */
  reached(cursor: string): void {
    if (this.cursor === undefined || cursor > this.cursor) this.cursor = cursor;
  }

  /** The subscription is live; missed events have arrived. */
  resumed(cursor: string): void {
    this.reached(cursor);
    this.#begin();
  }

  /**
   * The subscription is live from a position on.
   * @param gap why it was not resumed
   * @param mayHaveMissed also if it was not live before
   */
  started(cursor: string | undefined, gap: Omit<Gap, 'kind'>, mayHaveMissed: boolean): void {
    this.cursor = cursor;
    if (this.#wasLive || mayHaveMissed) this.missed(gap);
    this.#begin();
  }

  /** Notifications were lost on their way. */
  lost(gap: Omit<Gap, 'kind'>): void {
    const { cursor } = this;
    if (this.#wasLive) this.missed({ ...gap, ...(cursor !== undefined && { cursor }) });
  }

  /** Events are missing. */
  missed({ reason, message, cursor }: Omit<Gap, 'kind'>): void {
    this.#deliver({ kind: 'gap', reason, message, ...(cursor !== undefined && { cursor }) }, 0);
  }

  /** The connection was lost, or events have to be sent again. */
  interrupted(): void {
    this.#setStatus(this.#wasLive ? 'resuming' : 'connecting');
  }

  /** @param error undefined: the application closed it */
  end(error: Error | undefined): void {
    if (this.#status === 'ended') return;
    this.#error = error;
    this.#settleReady(error ?? new NetworkError('the subscription was closed'));
    this.#queue.end(error);
    this.#setStatus('ended');
  }

  #begin(): void {
    this.#wasLive = true;
    this.#settleReady();
    this.#setStatus('live');
  }

  #deliver(event: RealtimeEvent<T>, bytes: number): void {
    this.#queue.push(event, bytes);
    this.#flush();
    if (event.kind === 'gap') for (const listener of this.#listeners.gap) call(listener, event);
  }

  #flush(): void {
    const { event: listeners } = this.#listeners;
    while (listeners.size > 0) {
      const event = this.#queue.take();
      if (event === undefined) return;
      for (const listener of listeners) call(listener, event);
    }
  }

  #setStatus(status: SubscriptionStatus): void {
    if (status === this.#status) return;
    this.#status = status;
    for (const listener of this.#listeners.status) call(listener, status);
  }
}

/** An error of a listener must not keep others from their events. It is reported as that of any listener is. */
function call<V>(listener: (value: V) => void, value: V): void {
  try {
    listener(value);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
