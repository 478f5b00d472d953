import { queryErrors } from '@millrace/kernel';
import { QueryError } from '@millrace/query';
import type { ElasticsearchNames } from '../names/ElasticsearchNames.js';
import { ElasticsearchFailure, toUnavailable } from '../client/ElasticsearchFailure.js';

/** Refusals of a request that some versions of Elasticsearch return with a status other than 400. */
const REFUSALS = new Set(['too_many_buckets_exception', 'too_many_clauses', 'too_many_nested_clauses']);

/** A function without `missing`, or a phrase in a filter aggregation: Elasticsearch returns 500. */
const OWN_FAULT = /^Missing value for field \[|returned an invalid score: |was indexed without position data/;

/**
 * Converts a failed search for the client: a refusal by Elasticsearch becomes `query.invalid` with its reason, in our
 * names; an outage becomes `storage.unavailable`. Other errors are returned unchanged.
 */
export function toQueryError(error: unknown, names: ElasticsearchNames): unknown {
  if (error instanceof QueryError) {
    return queryErrors[error.kind]({ reason: error.message }, { cause: error });
  }
  if (!(error instanceof ElasticsearchFailure)) return error;
  const isRefusal =
    error.status === 400 || error.status === 413 || REFUSALS.has(error.type) || OWN_FAULT.test(error.reason);
  if (!isRefusal) return error.isOutage ? toUnavailable(error) : error;
  return queryErrors.invalid({ reason: names.conceal(error.reason) }, { cause: error });
}
