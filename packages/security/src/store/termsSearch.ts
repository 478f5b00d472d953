import { queryErrors } from '@millrace/kernel';
import { parseSearch, QueryError, type SearchRequest } from '@millrace/query';

/** The requested part of the matches. */
export interface PageArguments {
  readonly from?: number | undefined;
  readonly size?: number | undefined;
}

/**
 * A search for documents that contain one of the terms in each of the given fields, sorted by id.
 * @param terms by field; fields without terms are ignored
 * @throws query.window_too_large (400)
 */
export function termsSearch(terms: Readonly<Record<string, readonly string[]>>, page: PageArguments): SearchRequest {
  const filter = Object.entries(terms)
    .filter(([, values]) => values.length > 0)
    .map(([field, values]) => ({ terms: { [field]: values } }));
  const { from, size } = page;
  try {
    return parseSearch({ query: { bool: { filter } }, sort: ['_id'] }, { from, size });
  } catch (error) {
    if (error instanceof QueryError) {
      throw queryErrors[error.kind]({ reason: error.message }, { cause: error });
    }
    throw error;
  }
}
