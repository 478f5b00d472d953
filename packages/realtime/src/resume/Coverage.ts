import {
  CHANGE_LOG,
  isThenable,
  toAddressKey,
  toCollectionKey,
  WRITES_IN_FLIGHT,
  type ChangeLog,
  type CollectionName,
  type Connection,
  type Cursor,
  type MaybePromise,
  type WritesInFlight,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import type { Subscription } from '../rooms/Membership.js';

/**
 * Makes the change log record collections with subscriptions. A write that began before the first subscription of its
 * collection is not notified, so its position must not be after the cursor of that subscription: the subscription waits
 * for such writes.
 */
@scoped(Scope.ContainerScoped)
export class Coverage {
  /** By collection with subscriptions; null once it is ready. */
  private readonly covered = new Map<string, Promise<void> | null>();

  constructor(
    @inject(CHANGE_LOG) private readonly log: ChangeLog | null,
    @inject(WRITES_IN_FLIGHT) private readonly writes: WritesInFlight,
  ) {}

  /**
   * Call after the registration of a subscription. Resolves when every change that commits from now on is notified,
   * and recorded if there is a change log; undefined: no need to wait.
   */
  ready(name: CollectionName): Promise<void> | undefined {
    const key = toCollectionKey(name);
    const known = this.covered.get(key);
    if (known !== undefined) return known ?? undefined;
    const work = this.begin(name);
    if (work === undefined) {
      this.covered.set(key, null);
      return undefined;
    }
    const ready = work.then(
      () => {
        if (this.covered.get(key) === ready) this.covered.set(key, null);
      },
      (error: unknown) => {
        if (this.covered.get(key) === ready) this.covered.delete(key);
        throw error;
      },
    );
    this.covered.set(key, ready);
    return ready;
  }

  /** Notes where a subscription begins, unless it is held: then it resumes, or reads the log. Call once it is ready. */
  note(subscription: Subscription): void {
    if (subscription.channel.isHeld(subscription.membership.connection.id)) return;
    const noted = (cursor: Cursor | undefined) => void (cursor === undefined || (subscription.since = cursor));
    const head = this.log?.head();
    if (isThenable(head)) void head.then(noted, () => undefined);
    else noted(head);
  }

  /**
   * For a poll, which reads the log without a subscription: writes need not be notified. Resolves when every change that
   * commits from now on is recorded; undefined: no need to wait.
   */
  recorded(name: CollectionName): MaybePromise<void> | undefined {
    const known = this.covered.get(toCollectionKey(name));
    return known === undefined ? this.log?.cover(name) : (known ?? undefined);
  }

  /** A poll or the last subscription of a collection has ended: recording ends after the usual time. */
  ended(name: CollectionName, { remoteAddress }: Pick<Connection, 'remoteAddress'>): void {
    this.covered.delete(toCollectionKey(name));
    this.log?.release(name, toAddressKey(remoteAddress));
  }

  private begin({ index, collection }: CollectionName): Promise<void> | undefined {
    const recorded = this.log?.cover({ index, collection });
    // Those that begin from now on are observed.
    const notified = this.writes.unobserved();
    if (!isThenable(recorded)) return notified;
    return notified === undefined ? recorded : recorded.then(() => notified);
  }
}
