/*
 * Judges the answer of a collection that went through changes by the answer of a fresh copy, both of the embedded engine.
 * Scores count deleted documents until the index is built anew (query-language.md section 11), so they do not count, nor
 * does what is chosen by them.
 */
import type { JsonObject, JsonValue, SearchHit } from '@millrace/kernel';
import type { Answer, Mismatch, RequestBody } from './Answer.js';
import { compareAnswers } from './compareAnswers.js';

export function compareUpkeep(
  fresh: Answer,
  upkept: Answer,
  request: RequestBody,
  page: { readonly from: number; readonly size: number },
): Iterable<Mismatch> {
  const asked = JSON.stringify(request);
  if (/min_score|"_score"|top_hits|"search_after"/.test(asked)) return [];
  if (fresh.isRefused || upkept.isRefused) return compareAnswers(fresh, upkept, page);
  const isWhole = page.from === 0 && fresh.outcome.total <= page.size;
  const strip = ({ outcome }: Extract<Answer, { isRefused: false }>): Answer => {
    const hits = outcome.hits.map(withoutScores).sort((a, b) => (a.id < b.id ? -1 : 1));
    return { isRefused: false, outcome: { ...outcome, maxScore: null, hits: isWhole ? hits : [] } };
  };
  return compareAnswers(strip(fresh), strip(upkept), page);
}

function withoutScores({ innerHits, ...hit }: SearchHit): SearchHit {
  return {
    ...hit,
    score: null,
    version: 0,
    sort: [hit.id, ...(hit.sort ?? [])],
    ...(innerHits === undefined ? {} : { innerHits: withoutInnerScores(innerHits) }),
  };
}

/** Only how many there are: which of them are shown is the scores' choice. */
function withoutInnerScores(innerHits: JsonObject): JsonObject {
  const totals = Object.entries(innerHits).map(([name, value]): [string, JsonValue] => [
    name,
    { hits: [], total: (value as JsonObject)['total'] ?? 0 },
  ]);
  return Object.fromEntries(totals);
}
