import type { DocumentGrant, JsonObject } from '@millrace/kernel';

/** A right on documents as in a role, validated: `{documents?, check?, fields?}`. */
export interface DocumentRule {
  /** As sent. */
  readonly body: JsonObject;
  /**
   * The right of one user.
   * @param claims see `claimsOf`
   * @returns null if a reference leads to nothing, or the queries don't fit its value: no document is covered
   */
  resolve(claims: JsonObject): DocumentGrant | null;
}
