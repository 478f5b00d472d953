import type { DocumentGrant } from '@millrace/kernel';
import type { FieldRule } from '@millrace/query';

/** Each of these rules must show a field that a subscriber names. */
export function fieldRulesOf(grants: readonly DocumentGrant[]): readonly FieldRule[] {
  return grants.flatMap(({ fields }) => fields ?? []);
}
