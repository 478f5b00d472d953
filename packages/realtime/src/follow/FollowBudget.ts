import {
  ByteBudget,
  realtimeErrors,
  type ByteAccount,
  type FollowModeName,
  type FollowStatistics,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { REALTIME_CONFIG, type RealtimeConfig } from '../config.js';
import type { FollowView } from './FollowView.js';

interface Followed {
  readonly mode: FollowModeName;
  readonly place: ByteAccount;
  /** Memory of the result. */
  readonly result: ByteAccount;
}

/** Counts followed searches, limits their number and the memory of their results, and shares both between addresses. */
@scoped(Scope.ContainerScoped)
export class FollowBudget implements FollowStatistics {
  private readonly followed = new Map<FollowView, Followed>();
  private readonly places: ByteBudget;
  private readonly results: ByteBudget;
  private readonly reruns = { incremental: 0, rerun: 0 };

  constructor(@inject(REALTIME_CONFIG) private readonly config: RealtimeConfig) {
    const { maxViews, maxBytes } = config.follow;
    // A share is less than the whole, and one place can't be divided: so one address can have the only place.
    this.places = new ByteBudget(maxViews + 1);
    this.results = new ByteBudget(maxBytes);
  }

  followedCount(mode: FollowModeName): number {
    let count = 0;
    for (const each of this.followed.values()) if (each.mode === mode) count += 1;
    return count;
  }

  rerunCount(mode: FollowModeName): number {
    return this.reruns[mode];
  }

  /** A search has run again for a later result. */
  runsAgain(mode: FollowModeName): void {
    this.reruns[mode] += 1;
  }

  /** @param remoteAddress of the first follower @throws realtime.too_many_follows (429) */
  add(view: FollowView, mode: FollowModeName, remoteAddress: string): void {
    const place = this.places.open(remoteAddress);
    if (!place.take(1)) throw realtimeErrors.too_many_follows({ limit: this.config.follow.maxViews });
    this.followed.set(view, { mode, place, result: this.results.open(remoteAddress) });
  }

  /** Counts the memory of a view. @throws realtime.follows_full (429) */
  keep(view: FollowView, bytes: number): void {
    const result = this.followed.get(view)?.result;
    // It has been closed.
    if (result === undefined) return;
    const added = bytes - result.heldBytes;
    if (added > 0 && !result.fits(added)) throw realtimeErrors.follows_full({ limit: this.config.follow.maxBytes });
    result.set(bytes);
  }

  remove(view: FollowView): void {
    const followed = this.followed.get(view);
    this.followed.delete(view);
    followed?.place.close();
    followed?.result.close();
  }
}
