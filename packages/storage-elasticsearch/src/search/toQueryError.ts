import { queryErrors } from '@millrace/kernel';
import { QueryError } from '@millrace/query';
import type { ServerNames } from '../names/ServerNames.js';
import { ServerFailure, toUnavailable } from '../server/ServerFailure.js';

/** Refusals of a request that servers of some versions answer with another status than 400. */
const REFUSALS = new Set([
  'too_many_buckets_exception',
  'too_many_clauses',
  'too_many_nested_clauses',
]);

/** Of a function that has no `missing`, and of a phrase in a filter aggregation: answered with 500. */
const OWN_FAULT =
  /^Missing value for field \[|returned an invalid score: |was indexed without position data/;

/**
 * What went wrong in a search, for the outside: the server's own refusal as `query.invalid` with its reason and without
 * its names, an outage as `storage.unavailable`. What is no failure of a request is given back as it is.
 */
export function toQueryError(error: unknown, names: ServerNames): unknown {
  if (error instanceof QueryError) {
    return queryErrors[error.kind]({ reason: error.message }, { cause: error });
  }
  if (!(error instanceof ServerFailure)) return error;
  const isRefusal =
    error.status === 400 ||
    error.status === 413 ||
    REFUSALS.has(error.type) ||
    OWN_FAULT.test(error.reason);
  if (!isRefusal) return error.isOutage ? toUnavailable(error) : error;
  return queryErrors.invalid({ reason: names.conceal(error.reason) }, { cause: error });
}
