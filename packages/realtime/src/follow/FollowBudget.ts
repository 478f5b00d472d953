import { realtimeErrors, toAddressKey } from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { REALTIME_CONFIG, type RealtimeConfig } from '../config.js';
import type { FollowView } from './FollowView.js';

/** An address may hold twice what is free (as of `ByteBudget`): one alone gets two thirds. */
const SHARE_OF_FREE = 2;

interface Held {
  viewCount: number;
  bytes: number;
}

/** Limits the number of followed searches and the memory of their results, and shares them between addresses. */
@scoped(Scope.ContainerScoped)
export class FollowBudget {
  private readonly views = new Map<FollowView, { readonly address: string; bytes: number }>();
  private readonly byAddress = new Map<string, Held>();
  private bytes = 0;

  constructor(@inject(REALTIME_CONFIG) private readonly config: RealtimeConfig) {}

  /** @param remoteAddress of the first follower @throws realtime.too_many_follows (429) */
  add(view: FollowView, remoteAddress: string): void {
    const { maxViews: limit } = this.config.follow;
    const address = toAddressKey(remoteAddress);
    const held = this.byAddress.get(address) ?? { viewCount: 0, bytes: 0 };
    const free = limit - this.views.size;
    if (free < 1 || held.viewCount + 1 > SHARE_OF_FREE * free) {
      throw realtimeErrors.too_many_follows({ limit });
    }
    held.viewCount++;
    this.byAddress.set(address, held);
    this.views.set(view, { address, bytes: 0 });
  }

  /** Counts the memory of a view. @throws realtime.follows_full (429) */
  keep(view: FollowView, bytes: number): void {
    const { maxBytes: limit } = this.config.follow;
    const kept = this.views.get(view);
    // It has been closed.
    if (kept === undefined) return;
    const added = bytes - kept.bytes;
    const held = this.byAddress.get(kept.address)?.bytes ?? 0;
    const free = limit - this.bytes;
    if (added > 0 && (added > free || held + added > SHARE_OF_FREE * free)) {
      throw realtimeErrors.follows_full({ limit });
    }
    this.count(kept.address, added);
    kept.bytes = bytes;
  }

  remove(view: FollowView): void {
    const kept = this.views.get(view);
    if (kept === undefined) return;
    this.views.delete(view);
    this.count(kept.address, -kept.bytes);
    const held = this.byAddress.get(kept.address);
    if (held !== undefined && --held.viewCount === 0) this.byAddress.delete(kept.address);
  }

  private count(address: string, bytes: number): void {
    this.bytes += bytes;
    const held = this.byAddress.get(address);
    if (held !== undefined) held.bytes += bytes;
  }
}
