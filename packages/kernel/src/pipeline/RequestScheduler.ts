import type { ActionTable } from '../contracts/actions/ActionTable.js';
import type { RequestQueueName } from '../contracts/actions/ActionDefinition.js';
import type { MillraceError } from '../errors/MillraceError.js';
import type { Request } from '../contracts/request/Request.js';
import type { ByteAccount, ByteBudget } from '../concurrency/ByteBudget.js';
import { RequestQueue } from './RequestQueue.js';

/** How many requests run at once, by queue; `immediate` has no limit. */
export interface SchedulerLimits {
  readonly ordinary: number;
  /**
   * Read for each request: the engine's number may change. Also of `follow`: a request in it waits for one in `search`,
   * so that one queue for both could jam.
   */
  readonly search: () => number;
  readonly hashing: number;
  /** Maximum number of requests that wait in one queue; more are refused. */
  readonly maxWaiting: number;
}

/** The queues of a server and the bytes that its requests hold. One per server. */
export class RequestScheduler {
  readonly queues: Readonly<Record<RequestQueueName, RequestQueue>>;

  constructor(
    limits: SchedulerLimits,
    private readonly budget: ByteBudget,
  ) {
    const { maxWaiting, ordinary, hashing } = limits;
    this.queues = {
      ordinary: new RequestQueue(() => ordinary, maxWaiting),
      search: new RequestQueue(limits.search, maxWaiting),
      follow: new RequestQueue(limits.search, maxWaiting),
      hashing: new RequestQueue(() => hashing, maxWaiting),
      immediate: new RequestQueue(() => Infinity, 0),
    };
  }

  get runningCount(): number {
    return this.sum((queue) => queue.runningCount);
  }

  get waitingCount(): number {
    return this.sum((queue) => queue.waitingCount);
  }

  queueOf({ controller, action }: Request, actions: ActionTable): RequestQueue {
    return this.queues[actions.queueOf(controller, action)];
  }

  /** Counts the bytes of a request until `close`. @returns the error if they are too many */
  hold({ connection, bytes }: Request): ByteAccount | MillraceError {
    const account = this.budget.open(connection.remoteAddress);
    return account.take(bytes) ? account : account.refusal('request');
  }

  /** The limit of searches has increased. */
  admitSearches(): void {
    this.queues.search.admitWaiting();
    this.queues.follow.admitWaiting();
  }

  /** For a stopping server: waiting requests are refused, and later ones no longer wait. */
  refuseWaiting(): void {
    for (const queue of Object.values(this.queues)) queue.refuseWaiting();
  }

  /** Resolves when no request is running. */
  async whenIdle(): Promise<void> {
    await Promise.all(Object.values(this.queues).map((queue) => queue.whenIdle()));
  }

  private sum(read: (queue: RequestQueue) => number): number {
    return Object.values(this.queues).reduce((total, queue) => total + read(queue), 0);
  }
}
