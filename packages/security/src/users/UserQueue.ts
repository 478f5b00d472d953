import { KeyedQueue } from '@millrace/kernel';
import { Lifecycle as Scope, scoped } from 'tsyringe';

/** Writes of one user, one after the other; also of one suid, while a user is made with it. */
@scoped(Scope.ContainerScoped)
export class UserQueue {
  private readonly queue = new KeyedQueue();

  forUser<T>(id: string, task: () => Promise<T>): Promise<T> {
    return this.queue.run(`id ${id}`, task);
  }

  /** Within `forUser`, never around it. */
  forSuid<T>(suid: string, task: () => Promise<T>): Promise<T> {
    return this.queue.run(`suid ${suid}`, task);
  }
}
