import type { DocumentGrant, JsonObject } from '@millrace/kernel';
import type { CompiledMapping } from '@millrace/query';

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
  /**
   * Checks that the fields of a collection can be compared with values of the user; those that aren't mapped are not
   * checked.
   * @throws QueryError
   */
  assertFits(mapping: CompiledMapping): void;
}
