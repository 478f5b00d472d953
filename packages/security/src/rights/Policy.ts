/** Restriction of a policy: one index, or some of its collections. */
export interface Restriction {
  readonly index: string;
  /** Absent: the index as a whole. */
  readonly collections?: readonly string[];
}

/** An entry of a profile: a role, optionally restricted to some indexes and collections. */
export interface Policy {
  readonly roleId: string;
  /** Null: unrestricted. Empty: only requests that name no index. */
  readonly restrictedTo: readonly Restriction[] | null;
}
