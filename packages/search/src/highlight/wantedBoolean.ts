import type { ExpandedQuery, JsonValue } from '@millrace/query';

/** Lucene keeps booleans as these terms, which where any field may have been asked are looked for in texts as well. */
export const TERM_OF_FALSE = 'F';
export const TERM_OF_TRUE = 'T';

type FieldQuery = Extract<
  ExpandedQuery,
  { readonly field: string } | { readonly kind: 'cross_fields' }
>;

/** The terms that a query for single values of a boolean field looks for; undefined where it looks for none. */
export function wantedBoolean(query: FieldQuery): ((term: string) => boolean) | undefined {
  if (query.kind === 'term' && query.caseInsensitive) {
    const letter = termOf(query.value);
    return (term) => term.toUpperCase() === letter;
  }
  const letters = new Set(valuesOf(query).map(termOf));
  return letters.size === 0 ? undefined : (term) => letters.has(term);
}

function valuesOf(query: FieldQuery): readonly JsonValue[] {
  if (query.kind === 'term') return [query.value];
  if (query.kind === 'terms') return query.values;
  return 'query' in query ? [query.query] : [];
}

/** Undefined for what is no boolean, to a lenient query. */
function termOf(value: JsonValue): string | undefined {
  if (value === true || value === 'true') return TERM_OF_TRUE;
  return value === false || value === 'false' ? TERM_OF_FALSE : undefined;
}
