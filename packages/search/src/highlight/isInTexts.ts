import {
  resolveMinimumShouldMatch,
  type CrossFieldsQuery,
  type ExpandedQuery,
  type MatchQuery,
} from '@millrace/query';
import type { PlacedTokenList } from '../analysis/PlacedTokenList.js';
import type { SearchScope } from '../SearchScope.js';
import { findSpans } from './findSpans.js';
import type { Wanted } from './Wanted.js';
import { wantedByLeaf } from './wantedByLeaf.js';

/**
 * Whether a query without clauses matches the texts of one field.
 * @param areElsewhere for each word of a query over several fields, whether another field has it
 */
export function isInTexts(
  query: ExpandedQuery,
  field: string,
  texts: readonly PlacedTokenList[],
  scope: SearchScope,
  areElsewhere: (query: CrossFieldsQuery) => readonly boolean[],
): boolean {
  const wanted = wantedByLeaf(query, scope).filter((one) => one.field === field);
  const isThere = (one: Wanted) => texts.some((text) => findSpans(text, [one]).length > 0);
  switch (query.kind) {
    case 'match':
    case 'match_bool_prefix':
      return isEnough(wanted.map(isThere), query);
    case 'cross_fields': {
      const elsewhere = areElsewhere(query);
      const found = wanted.map((one, i) => elsewhere[i] === true || isThere(one));
      return isEnough(found, query);
    }
    default:
      return wanted.some(isThere);
  }
}

/** Whether as many words are there as the query asks for. */
function isEnough(
  found: readonly boolean[],
  {
    operator,
    minimumShouldMatch,
    zeroTermsQuery,
  }: Pick<MatchQuery, 'operator' | 'minimumShouldMatch' | 'zeroTermsQuery'>,
): boolean {
  if (found.length === 0) return zeroTermsQuery === 'all';
  if (operator === 'and') return found.every(Boolean);
  const minimum =
    minimumShouldMatch === undefined || found.length === 1
      ? 1
      : resolveMinimumShouldMatch(minimumShouldMatch, found.length);
  return found.filter(Boolean).length >= Math.max(1, minimum);
}
