import { isThenable, type Logger, type NodeObserver } from '@millrace/kernel';

/** Notifies the services of what happens to other nodes. A failure of one doesn't concern the others. */
export class NodeObservers {
  private readonly observers: NodeObserver[] = [];

  constructor(private readonly logger: Logger) {}

  add(observer: NodeObserver): void {
    this.observers.push(observer);
  }

  wanted(): void {
    this.each((observer) => observer.wanted?.());
  }

  missed(reason: string): void {
    this.each((observer) => observer.missed?.(reason));
  }

  left(nodeId: string, how: 'stopped' | 'died'): void {
    this.each((observer) => observer.left?.(nodeId, how));
  }

  private each(notify: (observer: NodeObserver) => void): void {
    for (const observer of this.observers) {
      try {
        const outcome: unknown = notify(observer);
        if (isThenable(outcome)) outcome.then(undefined, (error) => this.failed(error));
      } catch (error) {
        this.failed(error);
      }
    }
  }

  private failed(error: unknown): void {
    this.logger.error({ err: error }, 'an observer of nodes failed');
  }
}
