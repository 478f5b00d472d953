import type { FollowModeName, FollowStatistics } from '@millrace/kernel';
import { Lifecycle as Scope, scoped } from 'tsyringe';

/** Counts followed searches. */
@scoped(Scope.ContainerScoped)
export class FollowCounts implements FollowStatistics {
  private readonly followed = { incremental: 0, rerun: 0 };
  private readonly rerun = { incremental: 0, rerun: 0 };

  followedCount(mode: FollowModeName): number {
    return this.followed[mode];
  }

  rerunCount(mode: FollowModeName): number {
    return this.rerun[mode];
  }

  begun(mode: FollowModeName): void {
    this.followed[mode] += 1;
  }

  ended(mode: FollowModeName): void {
    this.followed[mode] -= 1;
  }

  runsAgain(mode: FollowModeName): void {
    this.rerun[mode] += 1;
  }
}
