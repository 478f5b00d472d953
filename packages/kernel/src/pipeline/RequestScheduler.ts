import type { ActionTable } from '../actions/ActionTable.js';
import type { RequestQueueName } from '../actions/ActionDefinition.js';
import type { Request } from '../request/Request.js';
import type { ByteAccount, ByteBudget } from './ByteBudget.js';
import { RequestQueue } from './RequestQueue.js';

/** How many requests run at once, by queue; `immediate` has no bound. */
export interface SchedulerLimits {
  readonly ordinary: number;
  readonly search: number;
  readonly hashing: number;
  /** Requests that wait in one queue; further ones are refused. */
  readonly maxWaiting: number;
}

/** The queues of a server and the bytes that its requests hold. One per server. */
export class RequestScheduler {
  readonly queues: Readonly<Record<RequestQueueName, RequestQueue>>;

  constructor(
    limits: SchedulerLimits,
    private readonly budget: ByteBudget,
  ) {
    const { maxWaiting } = limits;
    this.queues = {
      ordinary: new RequestQueue(limits.ordinary, maxWaiting),
      search: new RequestQueue(limits.search, maxWaiting),
      hashing: new RequestQueue(limits.hashing, maxWaiting),
      immediate: new RequestQueue(Infinity, 0),
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

  /** Counts what a request holds until `close`. @returns undefined where it is too much at present */
  hold({ connection, bytes }: Request): ByteAccount | undefined {
    const account = this.budget.open(connection.remoteAddress);
    return account.take(bytes) ? account : undefined;
  }

  /** For a server that stops: what waits is refused, and nothing waits any more. */
  refuseWaiting(): void {
    for (const queue of Object.values(this.queues)) queue.refuseWaiting();
  }

  /** Resolves when nothing runs any more. */
  async whenIdle(): Promise<void> {
    await Promise.all(Object.values(this.queues).map((queue) => queue.whenIdle()));
  }

  private sum(read: (queue: RequestQueue) => number): number {
    return Object.values(this.queues).reduce((total, queue) => total + read(queue), 0);
  }
}
