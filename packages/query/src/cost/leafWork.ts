import type { Shape } from '../geo/Shape.js';
import type { JsonScalar } from '../tree/Json.js';
import type {
  ExpandedQuery,
  MatchBoolPrefixQuery,
  MatchPhrasePrefixQuery,
  MatchPhraseQuery,
  MatchQuery,
} from '../tree/Query.js';

/** What reading the documents of a term costs beside trying a pattern on every term. */
export const CLAUSE_WORK = 0.1;

const FUNCTION_WORK = 0.25;
const PLAIN_PATTERN_LENGTH = 100;
const PLAIN_WORD_LENGTH = 25;
const BUILT_AUTOMATON_WORK = 20;
const REPEATED_WORK = 5;
const ORDINARY_EXPANSIONS = 50;
const ORDINARY_VALUES = 1_000;
const ORDINARY_POINTS = 100;

/** Look-ups of a query by itself, without those within it. */
export function leafWork(query: ExpandedQuery): number {
  switch (query.kind) {
    case 'terms':
    case 'ids':
      return query.values.length / ORDINARY_VALUES;
    case 'prefix':
      return 1;
    case 'wildcard':
      return 1 + query.value.length / PLAIN_PATTERN_LENGTH;
    case 'regexp':
      return regexpWork(query.value);
    case 'fuzzy':
      return expansionWork(query.maxExpansions) + String(query.value).length / PLAIN_WORD_LENGTH;
    case 'match':
      return textWork(query);
    case 'match_bool_prefix':
      return textWork(query) + 1;
    case 'match_phrase':
      return phraseWork(query);
    case 'match_phrase_prefix':
      return phraseWork(query) + expansionWork(query.maxExpansions);
    case 'cross_fields':
      return words(query.query).length * query.fields.length * CLAUSE_WORK;
    case 'function_score':
      return query.functions.length * FUNCTION_WORK;
    case 'geo_polygon':
      return query.points.length / ORDINARY_POINTS;
    case 'geo_shape':
      return pointCount(query.shape) / ORDINARY_POINTS;
    default:
      return 0;
  }
}

function expansionWork(maxExpansions: number): number {
  return Math.max(1, maxExpansions / ORDINARY_EXPANSIONS);
}

/** Complements and intersections build automata from automata. */
function regexpWork(pattern: string): number {
  const built = pattern.match(/[~&]/g)?.length ?? 0;
  return 1 + pattern.length / PLAIN_PATTERN_LENGTH + built * BUILT_AUTOMATON_WORK;
}

function textWork(query: MatchQuery | MatchBoolPrefixQuery): number {
  const { query: text, fuzziness, maxExpansions } = query;
  const count = words(text).length;
  if (fuzziness === undefined) return count * CLAUSE_WORK;
  // A keyword is one word however long.
  return count * expansionWork(maxExpansions) + String(text).length / PLAIN_WORD_LENGTH;
}

/** A loose phrase tries where each word may stand, and a repeated one against all of its own places. */
function phraseWork({ query: text, slop }: MatchPhraseQuery | MatchPhrasePrefixQuery): number {
  if (slop === 0) return words(text).length * CLAUSE_WORK;
  let work = 0;
  for (const count of countWords(text).values()) {
    work += count === 1 ? 1 : count * count * REPEATED_WORK;
  }
  return work;
}

/** How often each word is in a text. */
export function countWords(text: JsonScalar): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of words(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function words(text: JsonScalar): readonly string[] {
  return (
    String(text)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

function pointCount(shape: Shape): number {
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
  const lengths = (lists: readonly (readonly unknown[])[]) =>
    sum(lists.map(({ length }) => length));
  switch (shape.kind) {
    case 'point':
    case 'envelope':
    case 'circle':
      return 1;
    case 'multi_point':
    case 'line':
      return shape.points.length;
    case 'multi_line':
      return lengths(shape.lines);
    case 'polygon':
      return lengths(shape.rings);
    case 'multi_polygon':
      return sum(shape.polygons.map(lengths));
    case 'collection':
      return sum(shape.shapes.map(pointCount));
  }
}
