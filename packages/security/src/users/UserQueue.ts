import { KeyedQueue } from '@millrace/kernel';
import { Lifecycle as Scope, scoped } from 'tsyringe';

/** Serialises the writes of one user, and of one suid during the creation of its user. */
@scoped(Scope.ContainerScoped)
export class UserQueue {
  private readonly queue = new KeyedQueue();

  forUser<T>(id: string, task: () => Promise<T>): Promise<T> {
    return this.queue.run(`id ${id}`, task);
  }

  /** Call within `forUser`, never around it. */
  forSuid<T>(suid: string, task: () => Promise<T>): Promise<T> {
    return this.queue.run(`suid ${suid}`, task);
  }
}
