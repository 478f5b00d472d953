import type { JsonObject } from '@millrace/kernel';

/** Parts by which documents that don't match the query have an effect on the result: `min_doc_count: 0` lists their values. */
const WIDER = /"(_score|global|top_hits|min_score|min_doc_count|rescore)"/;

/**
 * The test of the changes that can concern a search: its query, or every document where scores or parts of the search
 * look beyond the matches.
 */
export function changesOf(search: JsonObject): JsonObject {
  const { query, size, sort, track_scores: keepsScores } = search;
  const isByFields = size === 0 || (sort !== undefined && keepsScores !== true);
  if (query === undefined || !isByFields || WIDER.test(JSON.stringify(search))) return {};
  return { query };
}
