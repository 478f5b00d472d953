import { firstReason } from './QUERY_KINDS.js';
import type { BoundQuery } from '../tree/Query.js';

/**
 * Why a query can't be decided on one document alone; null if it can. Everything that tests documents one by one must
 * refuse the others: subscriptions by query, and rights on documents after the values of `$ref` are put in. Two things
 * depend on the other documents of the collection: how many similar terms `max_expansions` leaves out (`fuzzy`,
 * `fuzziness`, `match_phrase_prefix`), and scores, which only `min_score` of a `function_score` turns into matches.
 * `prefix`, `wildcard`, `regexp` and `match_bool_prefix` find every term, without a limit.
 */
export function whyUndecidable(query: BoundQuery): string | null {
  return firstReason(query, (each, kind) => kind.whyUndecidable(each));
}

/**
 * Why the matches of a query change while documents stay the same: `now` in date math. Null if they don't. A
 * subscription would not be notified of such a change.
 */
export function whyChanging(query: BoundQuery): string | null {
  return firstReason(query, (each, kind) => kind.whyChanging(each));
}
