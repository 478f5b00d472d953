import { queryErrors, type StoredDocument } from '@millrace/kernel';
import { parseSearch, QueryError, type SearchRequest } from '@millrace/query';

/** Which part of the matches is wanted. */
export interface PageArguments {
  readonly from?: number | undefined;
  readonly size?: number | undefined;
}

/** Some of the records that match, and how many do. */
export interface SearchPage<T> {
  readonly hits: readonly T[];
  readonly total: number;
}

/** Hits of a search whose `_source` was not filtered, as documents. */
export function toDocuments(
  hits: readonly (Omit<StoredDocument, 'source'> & Partial<Pick<StoredDocument, 'source'>>)[],
): readonly StoredDocument[] {
  return hits.flatMap(({ id, version, meta, source }) =>
    source === undefined ? [] : [{ id, version, meta, source }],
  );
}

/**
 * A search for documents that hold one of the terms in each of the fields given, in order of their ids.
 * @param terms by field; a field without terms doesn't count
 * @throws query.window_too_large (400)
 */
export function termsSearch(
  terms: Readonly<Record<string, readonly string[]>>,
  page: PageArguments,
): SearchRequest {
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
