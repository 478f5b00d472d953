import type { Cursor } from '@millrace/kernel';

/** What is replayed: each change; the effect on each document; or changes, and effects if these are too many. */
export type ReplayMode = 'events' | 'state' | 'auto';

/** The options of a subscription that resumes or may do so. */
export interface ResumeAsked {
  /** Absent: the client only wants to know the position. */
  readonly cursor?: Cursor | undefined;
  readonly mode: ReplayMode;
  /** Maximum of replayed notifications. */
  readonly maxReplay: number;
}
