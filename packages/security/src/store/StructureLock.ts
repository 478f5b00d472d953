import { Lifecycle as Scope, scoped } from 'tsyringe';

/*
 * Roles are named by profiles and profiles by users, and what is named can't be deleted. Writing what names something is
 * shared, deleting what could be named is exclusive: so "nobody names it" still holds when the deletion is written. The
 * same goes for "there is another administrator". This covers one process. Between nodes two calls may still cross: a name without a thing grants nothing, so that is safe.
 */

/** Many shared tasks or one exclusive task at a time, in order of arrival. */
@scoped(Scope.ContainerScoped)
export class StructureLock {
  private exclusiveTail: Promise<unknown> = Promise.resolve();
  private shared = new Set<Promise<unknown>>();

  /** Runs beside other shared tasks, after the exclusive ones that came before. */
  share<T>(task: () => Promise<T>): Promise<T> {
    const work = this.exclusiveTail.then(task);
    const settled = work.then(ignore, ignore);
    this.shared.add(settled);
    void settled.then(() => this.shared.delete(settled));
    return work;
  }

  /** Runs alone, after everything that came before. */
  exclude<T>(task: () => Promise<T>): Promise<T> {
    const before = [this.exclusiveTail, ...this.shared];
    const work = Promise.all(before).then(task);
    this.exclusiveTail = work.then(ignore, ignore);
    return work;
  }
}

function ignore(): void {
  // a failure belongs to its caller alone
}
