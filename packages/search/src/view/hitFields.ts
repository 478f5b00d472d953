import { unionOf, type FieldSet, type ShownFields } from '@millrace/query';
import { matchQuery } from '../matchQuery.js';
import { advance } from '../queries/setOperations.js';
import type { SearchScope } from '../SearchScope.js';

/** The fields that the document of a slot shows; null: all. */
export type HitFields = (slot: number) => FieldSet | null;

/** @param scope with every document of the collection */
export function hitFields({ common, grants }: ShownFields, scope: SearchScope): HitFields {
  if (grants === undefined) return () => common;
  const found = grants.map(({ documents, fields }) => ({
    slots: documents && matchQuery(documents, scope, false).slots,
    fields,
  }));
  return (slot) => {
    const sets: FieldSet[] = [];
    for (const { slots, fields } of found) {
      if (slots !== null && slots[advance(slots, 0, slot)] !== slot) continue;
      if (fields === null) return null;
      sets.push(fields);
    }
    return unionOf(sets);
  };
}
