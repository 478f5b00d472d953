import type { CoercedTerm } from '../coerce/coerceTerm.js';
import { positiveClauses } from '../tree/positiveClauses.js';
import type { BoundQuery, OnField, QueryBase } from '../tree/Query.js';

/**
 * Why a query can't be decided on one document alone; null if it can. Everything that tests documents one by one must
 * refuse the others: subscriptions by query, and rights on documents after the values of `$ref` are put in. Two things
 * depend on the other documents of the collection: how many similar terms `max_expansions` leaves out (`fuzzy`,
 * `fuzziness`, `match_phrase_prefix`), and scores, which only `min_score` of a `function_score` turns into matches.
 * `prefix`, `wildcard`, `regexp` and `match_bool_prefix` find every term, without a limit.
 */
export function whyUndecidable(query: BoundQuery): string | null {
  switch (query.kind) {
    case 'fuzzy':
      return limitedTerms('fuzzy', query);
    case 'match':
    case 'match_bool_prefix':
      return query.fuzziness === undefined ? null : limitedTerms('fuzziness', query);
    case 'match_phrase_prefix':
      return limitedTerms('match_phrase_prefix', query);
    case 'function_score':
      if (query.minScore === undefined) return whyUndecidable(query.query);
      return `min_score at ${query.path} can't be decided on one document: scores depend on the other documents`;
    default:
      return firstReason(query, whyUndecidable);
  }
}

/**
 * Why the matches of a query change while documents stay the same: `now` in date math. Null if they don't. A
 * subscription would not be notified of such a change.
 */
export function whyChanging(query: BoundQuery): string | null {
  switch (query.kind) {
    case 'range':
      return isNow(query.lower?.value) || isNow(query.upper?.value) ? nowIn(query) : null;
    case 'term':
      return isNow(query.value, query.term) ? nowIn(query) : null;
    case 'terms':
      return query.values.some((value, at) => isNow(value, query.terms[at])) ? nowIn(query) : null;
    default:
      return firstReason(query, whyChanging);
  }
}

/** @param term what the value was read as: a word that is no date is not one of `now` either */
function isNow(value: unknown, term?: CoercedTerm): boolean {
  const isDate = term === undefined || term.kind === 'dates';
  return isDate && typeof value === 'string' && value.startsWith('now');
}

function nowIn({ mapped, path }: OnField & QueryBase): string | null {
  if (mapped.type !== 'date') return null;
  return `now at ${path} can't be decided on one document: it changes although the document doesn't`;
}

function firstReason(query: BoundQuery, reasonOf: (clause: BoundQuery) => string | null): string | null {
  const excluding = query.kind === 'bool' ? query.mustNot : [];
  for (const clause of [...positiveClauses(query), ...excluding]) {
    const reason = reasonOf(clause);
    if (reason !== null) return reason;
  }
  return null;
}

function limitedTerms(option: string, { path }: BoundQuery): string {
  return `${option} at ${path} can't be decided on one document: max_expansions counts the terms of all documents`;
}
