import type { CollectionName, Cursor, JsonObject } from '@millrace/kernel';

/** What a follower asks for. */
export interface FollowAsked {
  readonly name: CollectionName;
  /** As for `document.search`. */
  readonly search: JsonObject;
  /** The position of the result that the follower has; absent: none. */
  readonly cursor: Cursor | undefined;
  /** Least time between two deltas, in milliseconds. */
  readonly maxRateMs: number;
  /** Refuse to follow by running the search again. */
  readonly isStrict: boolean;
}
