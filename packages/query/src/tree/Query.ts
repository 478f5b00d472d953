/*
 * The only form of a query that engines execute. Parsing has resolved every default, rewritten the legacy forms of
 * SEARCH-30 and checked everything that doesn't depend on the mapping. Values of term-level queries are still JSON
 * scalars: `coerceTerm` and `coerceRange` read them by the field's type.
 *
 * `multi_match` and `query_string` depend on the mapping (field patterns, default fields): `expandFields(query,
 * compiledMapping)` replaces them, at any depth, by the other kinds; engines call it first and need to execute only
 * `ExpandedQuery` kinds.
 */
import type { JsonScalar, Point } from '@millrace/language';
import type { Shape } from '../geo/Shape.js';
import type { Fuzziness } from './Fuzziness.js';
import type { InnerHits } from './InnerHits.js';
import type { LuceneNode } from '../lucene/LuceneNode.js';
import type { MinimumShouldMatch } from './MinimumShouldMatch.js';

/** Properties of every node. */
export interface QueryBase {
  /** Factor of the score, ≥ 0, default 1. */
  readonly boost: number;
  /** `_name`. */
  readonly name?: string;
  /** Position in the request, for messages: `query.bool.must[0].range`. */
  readonly path: string;
}

/** Every document. */
export interface MatchAllQuery extends QueryBase {
  readonly kind: 'match_all';
}
/** No document. */
export interface MatchNoneQuery extends QueryBase {
  readonly kind: 'match_none';
}
/** One exact value. */
export interface TermQuery extends QueryBase {
  readonly kind: 'term';
  readonly field: string;
  readonly value: JsonScalar;
  readonly caseInsensitive: boolean;
}
/** Any of several exact values, at most 65,536. */
export interface TermsQuery extends QueryBase {
  readonly kind: 'terms';
  readonly field: string;
  readonly values: readonly JsonScalar[];
}
/** One end of a range, as given. */
export interface RangeBound {
  readonly value: JsonScalar;
  readonly inclusive: boolean;
}
/** Values between two ends; `coerceRange` reads them. */
export interface RangeQuery extends QueryBase {
  readonly kind: 'range';
  readonly field: string;
  readonly lower?: RangeBound;
  readonly upper?: RangeBound;
  /** Date format of the bounds; absent: the field's. */
  readonly format?: string;
  /** Offset or IANA name, already checked. */
  readonly timeZone?: string;
}
/** Documents that have an indexed value; `resolveExists` gives the fields. */
export interface ExistsQuery extends QueryBase {
  readonly kind: 'exists';
  /** May contain `*`. */
  readonly field: string;
}
/** Documents by id. */
export interface IdsQuery extends QueryBase {
  readonly kind: 'ids';
  readonly values: readonly string[];
}
/** Terms with a prefix. */
export interface PrefixQuery extends QueryBase {
  readonly kind: 'prefix';
  readonly field: string;
  readonly value: string;
  readonly caseInsensitive: boolean;
}
/** Terms that match a pattern. */
export interface WildcardQuery extends QueryBase {
  readonly kind: 'wildcard';
  readonly field: string;
  /** `?` one, `*` any characters, `\` makes the next one literal. */
  readonly value: string;
  readonly caseInsensitive: boolean;
}
/** Terms that match a regular expression. */
export interface RegexpQuery extends QueryBase {
  readonly kind: 'regexp';
  readonly field: string;
  /** Lucene syntax, anchored at both ends, ≤ 1,000 characters. */
  readonly value: string;
  readonly caseInsensitive: boolean;
  /** `ALL`, `NONE` or flags joined by `|`, as given (upper case). */
  readonly flags: string;
}
/** Terms within a few edits. */
export interface FuzzyQuery extends QueryBase {
  readonly kind: 'fuzzy';
  readonly field: string;
  readonly value: JsonScalar;
  readonly fuzziness: Fuzziness;
  readonly prefixLength: number;
  readonly maxExpansions: number;
  readonly transpositions: boolean;
}
/** Properties shared by the analysed text queries. */
export interface TextQueryBase extends QueryBase {
  readonly field: string;
  /** Text to analyse; a number or boolean is kept for fields of other types. */
  readonly query: JsonScalar;
  /** Name of an analyzer instead of the field's search analyzer. */
  readonly analyzer?: string;
}
/** How text queries expand their terms to similar ones; without `fuzziness` they don't. */
export interface FuzzyTextOptions {
  readonly fuzziness?: Fuzziness;
  readonly prefixLength: number;
  readonly maxExpansions: number;
  readonly fuzzyTranspositions: boolean;
}
/** Any or all tokens of the text. A single token matches whatever `minimumShouldMatch` is. */
export interface MatchQuery extends TextQueryBase, FuzzyTextOptions {
  readonly kind: 'match';
  readonly operator: 'or' | 'and';
  readonly minimumShouldMatch?: MinimumShouldMatch;
  /** A value that doesn't fit the field matches nothing instead of failing. */
  readonly lenient: boolean;
  /** The matches of text without tokens. */
  readonly zeroTermsQuery: 'none' | 'all';
}
/** The tokens of the text in order, at most `slop` moves apart. */
export interface MatchPhraseQuery extends TextQueryBase {
  readonly kind: 'match_phrase';
  readonly slop: number;
  readonly zeroTermsQuery: 'none' | 'all';
  readonly lenient: boolean;
}
/** A phrase whose last token is a prefix. */
export interface MatchPhrasePrefixQuery extends TextQueryBase {
  readonly kind: 'match_phrase_prefix';
  readonly slop: number;
  readonly maxExpansions: number;
  readonly zeroTermsQuery: 'none' | 'all';
  readonly lenient: boolean;
}
/** Tokens in any order, the last one as a prefix. */
export interface MatchBoolPrefixQuery extends TextQueryBase, FuzzyTextOptions {
  readonly kind: 'match_bool_prefix';
  readonly operator: 'or' | 'and';
  readonly zeroTermsQuery: 'none' | 'all';
  readonly minimumShouldMatch?: MinimumShouldMatch;
  readonly lenient: boolean;
}
/** A field with its weight, from `name^3`. */
export interface WeightedField {
  readonly field: string;
  readonly boost: number;
}
/** How the fields of a `multi_match` are combined. */
export type MultiMatchType =
  'best_fields' | 'most_fields' | 'cross_fields' | 'phrase' | 'phrase_prefix' | 'bool_prefix';
/** One text query over several fields; replaced by `expandFields`. */
export interface MultiMatchQuery extends QueryBase, FuzzyTextOptions {
  readonly kind: 'multi_match';
  readonly query: JsonScalar;
  /** Names or patterns; empty: all text-like fields. */
  readonly fields: readonly WeightedField[];
  readonly type: MultiMatchType;
  /**
   * Absent: the default of the type (0 for best_fields and phrases, 1 for most_fields and bool_prefix, 0 for
   * cross_fields).
   */
  readonly tieBreaker?: number;
  readonly operator: 'or' | 'and';
  readonly minimumShouldMatch?: MinimumShouldMatch;
  readonly analyzer?: string;
  readonly slop: number;
  readonly lenient: boolean;
  readonly zeroTermsQuery: 'none' | 'all';
}
/**
 * One text query over several fields treated as one (`multi_match` of type `cross_fields`, after `expandFields`): each
 * term may be in any of the fields; `operator` and `minimumShouldMatch` count terms. Per term: best field score plus
 * `tieBreaker` × the others, with blended document frequencies (the highest of the fields).
 */
export interface CrossFieldsQuery extends QueryBase {
  readonly kind: 'cross_fields';
  readonly query: JsonScalar;
  readonly fields: readonly WeightedField[];
  readonly operator: 'or' | 'and';
  readonly minimumShouldMatch?: MinimumShouldMatch;
  readonly tieBreaker: number;
  readonly analyzer?: string;
  readonly lenient: boolean;
  readonly zeroTermsQuery: 'none' | 'all';
}
/** `query_string` or `simple_query_string`; replaced by `expandFields`. */
export interface QueryStringQuery extends QueryBase {
  readonly kind: 'query_string';
  readonly syntax: LuceneNode;
  /** Names or patterns; empty: all searchable fields. */
  readonly fields: readonly WeightedField[];
  readonly defaultOperator: 'or' | 'and';
  readonly analyzer?: string;
  readonly quoteAnalyzer?: string;
  /** Prefixes are analysed. */
  readonly analyzesWildcard: boolean;
  readonly lenient: boolean;
  readonly minimumShouldMatch?: MinimumShouldMatch;
  readonly fuzzyPrefixLength: number;
  readonly fuzzyMaxExpansions: number;
  readonly fuzzyTranspositions: boolean;
  readonly type: MultiMatchType;
  readonly phraseSlop: number;
  readonly tieBreaker?: number;
  readonly timeZone?: string;
}
/** Queries joined; `filter` and `mustNot` select without a score. */
export interface BoolQuery extends QueryBase {
  readonly kind: 'bool';
  readonly must: readonly Query[];
  readonly filter: readonly Query[];
  readonly should: readonly Query[];
  readonly mustNot: readonly Query[];
  /** A resolved number of `should` clauses, all defaults applied; if it exceeds their number, nothing matches. */
  readonly minimumShouldMatch: number;
}
/** The documents that match the filter, each with score `boost`. */
export interface ConstantScoreQuery extends QueryBase {
  readonly kind: 'constant_score';
  readonly filter: Query;
}
/** Any of the queries; the best score plus `tieBreaker` × the others. */
export interface DisMaxQuery extends QueryBase {
  readonly kind: 'dis_max';
  readonly queries: readonly Query[];
  readonly tieBreaker: number;
}
/** The documents that match `positive`; if `negative` matches too, the score × `negativeBoost`. */
export interface BoostingQuery extends QueryBase {
  readonly kind: 'boosting';
  readonly positive: Query;
  readonly negative: Query;
  readonly negativeBoost: number;
}
/** Function of `factor × value`; the logarithms `log…` have base 10. */
export type FieldValueModifier =
  'none' | 'log' | 'log1p' | 'log2p' | 'ln' | 'ln1p' | 'ln2p' | 'square' | 'sqrt' | 'reciprocal';
/** A decay's origin and lengths stay as given: `coerceDecay` reads them by the field's type (number, date, point). */
export interface DecayFunction {
  readonly kind: 'decay';
  readonly shape: 'gauss' | 'exp' | 'linear';
  readonly field: string;
  readonly origin?: JsonScalar | Point;
  readonly scale: JsonScalar;
  readonly offset: JsonScalar;
  /** 0 < decay < 1, default 0.5. */
  readonly decay: number;
  readonly multiValueMode: 'min' | 'max' | 'avg' | 'sum';
  readonly path: string;
}
/** A function that computes a factor of the score. */
export type ScoreFunction =
  | { readonly kind: 'weight' }
  | {
      readonly kind: 'field_value_factor';
      readonly field: string;
      readonly factor: number;
      readonly modifier: FieldValueModifier;
      readonly missing?: number;
      readonly path: string;
    }
  | DecayFunction
  | {
      readonly kind: 'random_score';
      readonly seed?: JsonScalar;
      /** Absent: the document's id or number. */
      readonly field?: string;
    };
/** A score function with its weight and the documents it applies to. */
export interface ScoreFunctionEntry {
  /** Absent: every document. */
  readonly filter?: Query;
  readonly weight: number;
  readonly function: ScoreFunction;
}
/** The score of a query modified by functions. */
export interface FunctionScoreQuery extends QueryBase {
  readonly kind: 'function_score';
  readonly query: Query;
  readonly functions: readonly ScoreFunctionEntry[];
  readonly scoreMode: 'multiply' | 'sum' | 'avg' | 'first' | 'max' | 'min';
  readonly boostMode: 'multiply' | 'replace' | 'sum' | 'avg' | 'max' | 'min';
  /** Infinity if not given. */
  readonly maxBoost: number;
  readonly minScore?: number;
}
/** Documents with a nested object that matches. */
export interface NestedQuery extends QueryBase {
  readonly kind: 'nested';
  /** Full path of the nested object (`path` is the place in the request). */
  readonly nestedPath: string;
  readonly query: Query;
  readonly scoreMode: 'avg' | 'sum' | 'min' | 'max' | 'none';
  readonly ignoreUnmapped: boolean;
  readonly innerHits?: InnerHits;
}
/** Properties of the geographic queries. */
export interface GeoQueryBase extends QueryBase {
  readonly field: string;
  readonly ignoreUnmapped: boolean;
}
/** Points within a distance. */
export interface GeoDistanceQuery extends GeoQueryBase {
  readonly kind: 'geo_distance';
  readonly point: Point;
  readonly distanceMetres: number;
  readonly distanceType: 'arc' | 'plane';
}
/** Points in a box, borders inclusive. */
export interface GeoBoundingBoxQuery extends GeoQueryBase {
  readonly kind: 'geo_bounding_box';
  readonly top: number;
  /** Crosses the date line when `left` > `right`. */
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}
/** Points in a polygon. */
export interface GeoPolygonQuery extends GeoQueryBase {
  readonly kind: 'geo_polygon';
  /** At least three different points, closed (first = last). */
  readonly points: readonly Point[];
}
/** Shapes or points by their relation to a shape. */
export interface GeoShapeQuery extends GeoQueryBase {
  readonly kind: 'geo_shape';
  readonly shape: Shape;
  readonly relation: 'intersects' | 'disjoint' | 'within' | 'contains';
}

/** The kinds left after `expandFields`, which an engine executes. */
export type ExpandedQuery =
  | MatchAllQuery
  | MatchNoneQuery
  | TermQuery
  | TermsQuery
  | RangeQuery
  | ExistsQuery
  | IdsQuery
  | PrefixQuery
  | WildcardQuery
  | RegexpQuery
  | FuzzyQuery
  | MatchQuery
  | MatchPhraseQuery
  | MatchPhrasePrefixQuery
  | MatchBoolPrefixQuery
  | CrossFieldsQuery
  | BoolQuery
  | ConstantScoreQuery
  | DisMaxQuery
  | BoostingQuery
  | FunctionScoreQuery
  | NestedQuery
  | GeoDistanceQuery
  | GeoBoundingBoxQuery
  | GeoPolygonQuery
  | GeoShapeQuery;

/** A parsed query. */
export type Query = ExpandedQuery | MultiMatchQuery | QueryStringQuery;
