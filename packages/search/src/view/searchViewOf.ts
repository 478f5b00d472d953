import type { DocumentRight } from '@millrace/kernel';
import type { Query, SearchView, ViewGrant } from '@millrace/query';

/** The part of a collection that a right shows to a search. */
export function searchViewOf({ grants }: DocumentRight): SearchView {
  const documents: Query[] = [];
  let isWhole = false;
  for (const { documents: query } of grants) {
    if (query === null) isWhole = true;
    else documents.push(query);
  }
  const fields = grants.flatMap((grant) => grant.fields ?? []);
  return {
    fields,
    ...(isWhole ? undefined : { documents }),
    ...(fields.length > 0 && differ(grants) ? { grants: grants.map(toViewGrant) } : undefined),
  };
}

function differ(grants: DocumentRight['grants']): boolean {
  return new Set(grants.map(({ fields }) => JSON.stringify(fields))).size > 1;
}

/** Without `check`, which searches don't need. */
function toViewGrant({ documents, fields }: ViewGrant): ViewGrant {
  return { documents, fields };
}
