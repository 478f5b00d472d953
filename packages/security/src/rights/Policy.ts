/** What a policy is limited to: one index, or some of its collections. */
export interface Restriction {
  readonly index: string;
  /** Absent: the index as a whole. */
  readonly collections?: readonly string[];
}

/** A line of a profile: a role, perhaps for some indexes and collections only. */
export interface Policy {
  readonly roleId: string;
  /** Null: no limit. An empty list leaves the requests that name no index. */
  readonly restrictedTo: readonly Restriction[] | null;
}
