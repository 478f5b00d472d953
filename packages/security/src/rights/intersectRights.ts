import type { DocumentGrant, DocumentRight } from '@millrace/kernel';
import type { FieldRule, Query } from '@millrace/query';

/** The right to what both rights cover: the documents of one grant of each, with the fields of both. */
export function intersectRights(
  first: boolean | DocumentRight,
  second: boolean | DocumentRight,
): boolean | DocumentRight {
  if (typeof first === 'boolean') return first && second;
  if (typeof second === 'boolean') return second && first;
  const grants = first.grants.flatMap((one) =>
    second.grants.map((other): DocumentGrant => ({
      documents: both(one.documents, other.documents, allOf),
      check: both(one.check, other.check, allOf),
      fields: both(one.fields, other.fields, (...rules): FieldRule => ({ both: rules })),
    })),
  );
  return { key: JSON.stringify([first.key, second.key]), grants };
}

/** Null limits nothing. */
function both<T>(first: T | null, second: T | null, join: (first: T, second: T) => T): T | null {
  return first === null || second === null ? (first ?? second) : join(first, second);
}

function allOf(first: Query, second: Query): Query {
  const clauses = { must: [], filter: [first, second], should: [], mustNot: [] };
  return { kind: 'bool', ...clauses, minimumShouldMatch: 0, boost: 1, path: 'documents' };
}
