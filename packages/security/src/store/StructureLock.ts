import { Lifecycle as Scope, scoped } from 'tsyringe';

/*
 * Profiles refer to roles and users to profiles, and a record that is referred to can't be deleted. Writes that add
 * references take the lock shared; deletions take it exclusively, so "no record refers to it" still holds when the
 * deletion is written. The same applies to "there is another administrator". The lock covers one process. Calls on
 * two nodes may still interleave; that is safe, because a reference to a missing record grants nothing.
 */

/** Many shared tasks or one exclusive task at a time, in order of arrival. */
@scoped(Scope.ContainerScoped)
export class StructureLock {
  private exclusiveTail: Promise<unknown> = Promise.resolve();
  private shared = new Set<Promise<unknown>>();

  /** Runs concurrently with other shared tasks, after earlier exclusive ones. */
  share<T>(task: () => Promise<T>): Promise<T> {
    const work = this.exclusiveTail.then(task);
    const settled = work.then(ignore, ignore);
    this.shared.add(settled);
    void settled.then(() => this.shared.delete(settled));
    return work;
  }

  /** Runs exclusively, after all earlier tasks. */
  exclude<T>(task: () => Promise<T>): Promise<T> {
    const before = [this.exclusiveTail, ...this.shared];
    const work = Promise.all(before).then(task);
    this.exclusiveTail = work.then(ignore, ignore);
    return work;
  }
}

function ignore(): void {
  // a failure only concerns its caller
}
