import type { JsonObject } from '@millrace/kernel';

/** Counts by protocol name. */
export type Counts = Readonly<Record<string, number>>;

/** One statistics frame (DOC-60). */
export interface StatisticsFrame extends JsonObject {
  /** Since the last frame. */
  readonly completedRequests: Counts;
  readonly failedRequests: Counts;
  /** At the frame's end. */
  readonly ongoingRequests: Counts;
  readonly connections: Counts;
  /** Connections closed since the last frame because too many bytes were waiting for them. */
  readonly slowConsumers: Counts;
  /** UTC milliseconds as a string: the end of a complete frame, the start of the one in progress. */
  readonly timestamp: string;
}
