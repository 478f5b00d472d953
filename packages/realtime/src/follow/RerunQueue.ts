import { Places } from '@millrace/kernel';
import { Lifecycle as Scope, scoped } from 'tsyringe';

/** Searches at a time. */
const MAX_RUNNING = 2;

/**
 * Searches of followed searches that run again, a few at a time and in order, so that many of them delay other requests
 * no more than a few.
 */
@scoped(Scope.ContainerScoped)
export class RerunQueue {
  private readonly places = new Places(MAX_RUNNING);

  async run(search: () => Promise<void>): Promise<void> {
    await this.places.take();
    try {
      await search();
    } finally {
      this.places.leave();
    }
  }
}
