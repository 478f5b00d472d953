import { realtimeErrors } from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { REALTIME_CONFIG, type RealtimeConfig } from '../config.js';
import type { FollowView } from './FollowView.js';

/** Limits the number of followed searches and the memory of their results. */
@scoped(Scope.ContainerScoped)
export class FollowBudget {
  private readonly bytesOf = new Map<FollowView, number>();
  private bytes = 0;

  constructor(@inject(REALTIME_CONFIG) private readonly config: RealtimeConfig) {}

  /** @throws realtime.too_many_follows (429) */
  add(view: FollowView): void {
    const { maxViews: limit } = this.config.follow;
    if (this.bytesOf.size >= limit) throw realtimeErrors.too_many_follows({ limit });
    this.bytesOf.set(view, 0);
  }

  /** Counts the memory of a view. @throws realtime.follows_full (429) */
  keep(view: FollowView, bytes: number): void {
    const { maxBytes: limit } = this.config.follow;
    const former = this.bytesOf.get(view);
    // It has been closed.
    if (former === undefined) return;
    const total = this.bytes - former + bytes;
    if (total > limit) throw realtimeErrors.follows_full({ limit });
    this.bytesOf.set(view, bytes);
    this.bytes = total;
  }

  remove(view: FollowView): void {
    this.bytes -= this.bytesOf.get(view) ?? 0;
    this.bytesOf.delete(view);
  }
}
