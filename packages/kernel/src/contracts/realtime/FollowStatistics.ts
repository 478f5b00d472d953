import type { InjectionToken } from 'tsyringe';

/** How a followed search is kept up to date (FOLLOW-9). */
export const FOLLOW_MODES = ['incremental', 'rerun'] as const;

/** One of `FOLLOW_MODES`. */
export type FollowModeName = (typeof FOLLOW_MODES)[number];

/** Numbers of followed searches on this node, for metrics. */
export interface FollowStatistics {
  /** Different searches that have followers now. */
  followedCount(mode: FollowModeName): number;
  /** Searches since the start that ran again for a later result; first results don't count. */
  rerunCount(mode: FollowModeName): number;
}

/** Provided by the realtime service. */
export const FOLLOW_STATISTICS: InjectionToken<FollowStatistics> = Symbol.for('millrace.FollowStatistics');
