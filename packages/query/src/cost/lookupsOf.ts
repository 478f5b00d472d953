import type { JsonScalar } from '@millrace/language';
import type { Query } from '../tree/Query.js';

const PATTERN = 10;
const ORDINARY_EXPANSIONS = 50;

/** Number of terms that a query looks up, without its sub-queries; a pattern or a word with edits counts as 10. */
export function lookupsOf(query: Query): number {
  switch (query.kind) {
    case 'terms':
    case 'ids':
      return 1 + query.values.length / 100;
    case 'prefix':
    case 'wildcard':
    case 'regexp':
      return PATTERN + query.value.length / 10;
    case 'fuzzy':
      return expansions(query) + String(query.value).length / 10;
    case 'match':
    case 'match_bool_prefix':
      return wordCount(query.query) * (query.fuzziness === undefined ? 1 : expansions(query));
    // A phrase with slop compares the positions of the words with each other.
    case 'match_phrase':
      return wordCount(query.query) ** (query.slop === 0 ? 1 : 2);
    case 'match_phrase_prefix':
      return wordCount(query.query) ** (query.slop === 0 ? 1 : 2) + expansions(query);
    case 'cross_fields':
      return wordCount(query.query) * query.fields.length;
    case 'function_score':
      return 1 + query.functions.length * 3;
    case 'geo_polygon':
      return 1 + query.points.length / 10;
    // One per ten points of a shape.
    case 'geo_shape':
      return 1 + JSON.stringify(query.shape).length / 500;
    // Counted as the queries that it expands to.
    case 'multi_match':
    case 'query_string':
    case 'visible':
      return 0;
    default:
      return 1;
  }
}

function expansions({ maxExpansions }: { readonly maxExpansions: number }): number {
  return PATTERN * Math.max(1, maxExpansions / ORDINARY_EXPANSIONS);
}

function wordCount(text: JsonScalar): number {
  return Math.max(
    1,
    String(text)
      .split(/[^\p{L}\p{N}]+/u)
      .filter(Boolean).length,
  );
}
