import type { JsonObject, JsonValue } from '@millrace/kernel';

const CONSTANT = /^(match_all|match_none|terms|ids|exists|range|prefix|wildcard|regexp|constant_score|geo_\w+)$/;
const RANKED = /^(match|multi_match|term|match_phrase)$/;
const UNPROMISED = /"(fuzziness|slop|cross_fields|phrase_prefix|bool_prefix)"/;

/** Whether both engines must rank the hits of a query alike where scores differ by more than 1 %. */
export function isRankingPromised(query: JsonValue | undefined, mapping: JsonObject): boolean {
  // Elasticsearch counts objects and documents as one in the statistics of such fields.
  return !/"include_in_(root|parent)":true/.test(JSON.stringify(mapping)) && isRanked(query ?? {});
}

function isRanked(query: JsonValue): boolean {
  const [[kind, body] = ['match_all', {}]] = Object.entries(query as JsonObject);
  if (kind === 'bool') {
    const { must = [], should = [] } = body as JsonObject;
    return [must, should].flat().every((clause) => isRanked(clause));
  }
  return CONSTANT.test(kind) || (RANKED.test(kind) && !UNPROMISED.test(JSON.stringify(body)));
}
