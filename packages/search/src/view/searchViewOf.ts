import type { DocumentRight } from '@millrace/kernel';
import type { Query, SearchView } from '@millrace/query';

/** The part of a collection that a right shows to a query. */
export function searchViewOf({ grants }: DocumentRight): SearchView {
  const documents: Query[] = [];
  let isWhole = false;
  for (const { documents: query } of grants) {
    if (query === null) isWhole = true;
    else documents.push(query);
  }
  const fields = grants.flatMap((grant) => grant.fields ?? []);
  return { fields, ...(isWhole ? undefined : { documents }) };
}
