import type { Clock, Logger } from '@millrace/kernel';
import type { NodeObservers } from './NodeObservers.js';
import type { SendQueue } from './SendQueue.js';

/** Minimum interval between two requests for state after lost messages. */
const WANTED_EVERY_MS = 200;

/** Reports that messages between nodes were lost, and asks the others for their state. A burst counts as one. */
export class Losses {
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;
  private reportedAtMs = -Infinity;
  count = 0;

  constructor(
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly queue: SendQueue,
    private readonly observers: NodeObservers,
  ) {}

  report(reason: string): void {
    const { clock, logger, queue, observers } = this;
    this.count++;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.reportedAtMs < WANTED_EVERY_MS) return this.reportLater(reason);
    this.reportedAtMs = nowMs;
    queue.push('~wanted', '', '');
    logger.warn({ reason }, 'messages between nodes were missed');
    observers.missed(reason);
  }

  stop(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
  }

  private reportLater(reason: string): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      if (!this.isStopped) this.report(reason);
    }, WANTED_EVERY_MS).unref();
  }
}
