/*
 * The two forms of a query. Parsing gives a `Query`: every default resolved, the legacy forms of SEARCH-30 rewritten,
 * everything checked that doesn't depend on the mapping. `bindQuery` makes a `BoundQuery` of it, once per request: the
 * fields of `multi_match` and `query_string` are expanded, values are read by the types of their fields, and what
 * doesn't fit the mapping is refused. Engines execute or translate bound queries only. A bound node has all properties
 * of the parsed one, for engines that forward values as they were given.
 */
import type { JsonScalar, Point } from '@millrace/language';
import type { Shape } from '../geo/Shape.js';
import type { Fuzziness } from './Fuzziness.js';
import type { InnerHits } from './InnerHits.js';
import type { TermsAt } from '../bind/byPosition.js';
import type { CoercedDecay } from '../coerce/coerceDecay.js';
import type { CoercedRange } from '../coerce/coerceRange.js';
import type { CoercedTerm } from '../coerce/coerceTerm.js';
import type { CompiledField } from '../mapping/CompiledMapping.js';
import type { LuceneNode } from '../lucene/LuceneNode.js';
import type { MinimumShouldMatch } from './MinimumShouldMatch.js';
import type { SearchView } from '../view/SearchView.js';

/** Properties of every node. */
export interface QueryBase {
  /** Factor of the score, ≥ 0, default 1. */
  readonly boost: number;
  /** `_name`. */
  readonly name?: string;
  /** Position in the request, for messages: `query.bool.must[0].range`. */
  readonly path: string;
}
/** Property of every bound node that searches one field. */
export interface OnField {
  readonly mapped: CompiledField;
}

/** Property of queries that compare a field with values. */
export interface ComparesValues {
  /** Compared with whole values of the field: of a text field, with those of its multi-field of type keyword. */
  readonly isWhole?: true;
  /** Compared as stored, in addition: values of the field that are indexed otherwise (a normalizer) don't fit. */
  readonly isIdentity?: true;
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
export interface TermQuery extends QueryBase, ComparesValues {
  readonly kind: 'term';
  readonly field: string;
  readonly value: JsonScalar;
  readonly caseInsensitive: boolean;
}
/** A `term` on a mapped field. */
export interface BoundTerm extends TermQuery, OnField {
  readonly term: CoercedTerm;
}
/** Any of several exact values, at most 65,536. */
export interface TermsQuery extends QueryBase, ComparesValues {
  readonly kind: 'terms';
  readonly field: string;
  readonly values: readonly JsonScalar[];
}
/** A `terms` on a mapped field. */
export interface BoundTerms extends TermsQuery, OnField {
  /** As long as `values`. */
  readonly terms: readonly CoercedTerm[];
}
/** One end of a range, as given. */
export interface RangeBound {
  readonly value: JsonScalar;
  readonly inclusive: boolean;
}
/** Values between two ends; as given. */
export interface RangeQuery extends QueryBase, ComparesValues {
  readonly kind: 'range';
  readonly field: string;
  readonly lower?: RangeBound;
  readonly upper?: RangeBound;
  /** Date format of the bounds; absent: the field's. */
  readonly format?: string;
  /** Offset or IANA name, already checked. */
  readonly timeZone?: string;
  /** A bound that doesn't fit the field matches nothing instead of failing (`query_string`). */
  readonly lenient?: boolean;
}
/** A `range` with at least one bound; one without is bound as `exists`. */
export interface BoundRange extends RangeQuery, OnField {
  readonly range: CoercedRange;
}
/** Documents that have an indexed value; see `BoundExists`. */
export interface ExistsQuery extends QueryBase {
  readonly kind: 'exists';
  /** May contain `*`. */
  readonly field: string;
}
/** An `exists` on at least one field. */
export interface BoundExists extends ExistsQuery {
  /** The fields that may have values. */
  readonly fields: readonly CompiledField[];
}
/** Documents by id. */
export interface IdsQuery extends QueryBase {
  readonly kind: 'ids';
  readonly values: readonly string[];
}
/** Terms with a prefix. */
export interface PrefixQuery extends QueryBase, ComparesValues {
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
/** A regular expression, compiled. */
export interface BoundRegexp extends RegexpQuery, OnField {
  /** Tests a whole term. */
  readonly accepts: (term: string) => boolean;
}
/** Values of bound patterns are normalized as the terms of the field are. */
export type BoundPrefix = PrefixQuery & OnField;
/** See `BoundPrefix`. */
export type BoundWildcard = WildcardQuery & OnField;
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
/** A `fuzzy` with at least one edit; one without is bound as `term`. */
export type BoundFuzzy = FuzzyQuery & OnField;
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
/**
 * The words of a text query on a field of type text, at least one. On fields of other types a text query is bound as
 * queries of its values.
 */
export interface OfWords extends OnField {
  readonly words: readonly TermsAt[];
}
/** See `OfWords`. */
export type BoundMatch = MatchQuery & OfWords;
/** See `OfWords`. */
export type BoundMatchPhrase = MatchPhraseQuery & OfWords;
/** See `OfWords`. */
export type BoundMatchPhrasePrefix = MatchPhrasePrefixQuery & OfWords;
/** See `OfWords`. */
export interface BoundMatchBoolPrefix extends MatchBoolPrefixQuery, OfWords {
  /** False if a character after the last word, such as a blank, completes it. */
  readonly endsInPrefix: boolean;
}
/** A field with its weight, from `name^3`. */
export interface WeightedField {
  readonly field: string;
  readonly boost: number;
}
/** How the fields of a `multi_match` are combined. */
export type MultiMatchType =
  'best_fields' | 'most_fields' | 'cross_fields' | 'phrase' | 'phrase_prefix' | 'bool_prefix';
/** One text query over several fields; replaced by `bindQuery`. */
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
 * One text query over several fields treated as one (`multi_match` of type `cross_fields`, after binding): each
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
/** A `cross_fields` on fields with one analyzer; several groups of fields are bound as `dis_max`. */
export interface BoundCrossFields extends CrossFieldsQuery {
  /** By position: the terms there, each with its form in every field that can have it. At least one. */
  readonly words: readonly (readonly (readonly BoundTerm[])[])[];
}
/** `query_string` or `simple_query_string`; replaced by `bindQuery`. */
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
export interface BoolQuery<Q = Query> extends QueryBase {
  readonly kind: 'bool';
  readonly must: readonly Q[];
  readonly filter: readonly Q[];
  readonly should: readonly Q[];
  readonly mustNot: readonly Q[];
  /** A resolved number of `should` clauses, all defaults applied; if it exceeds their number, nothing matches. */
  readonly minimumShouldMatch: number;
}
/** The documents that match the filter, each with score `boost`. */
export interface ConstantScoreQuery<Q = Query> extends QueryBase {
  readonly kind: 'constant_score';
  readonly filter: Q;
}
/** Any of the queries; the best score plus `tieBreaker` × the others. */
export interface DisMaxQuery<Q = Query> extends QueryBase {
  readonly kind: 'dis_max';
  readonly queries: readonly Q[];
  readonly tieBreaker: number;
}
/** The documents that match `positive`; if `negative` matches too, the score × `negativeBoost`. */
export interface BoostingQuery<Q = Query> extends QueryBase {
  readonly kind: 'boosting';
  readonly positive: Q;
  readonly negative: Q;
  readonly negativeBoost: number;
}
/** Function of `factor × value`; the logarithms `log…` have base 10. */
export type FieldValueModifier =
  'none' | 'log' | 'log1p' | 'log2p' | 'ln' | 'ln1p' | 'ln2p' | 'square' | 'sqrt' | 'reciprocal';
/** A decay's origin and lengths stay as given; see `BoundDecay`. */
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
/** A decay on a mapped field. */
export interface BoundDecay extends DecayFunction, OnField {
  readonly coerced: CoercedDecay;
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
/** A score function bound to a mapping. */
export type BoundScoreFunction = Exclude<ScoreFunction, DecayFunction> | BoundDecay;
/** A score function with its weight and the documents it applies to. */
export interface ScoreFunctionEntry<Q = Query, F = ScoreFunction> {
  /** Absent: every document. */
  readonly filter?: Q;
  readonly weight: number;
  readonly function: F;
}
/** The score of a query modified by functions. */
export interface FunctionScoreQuery<Q = Query, F = ScoreFunction> extends QueryBase {
  readonly kind: 'function_score';
  readonly query: Q;
  readonly functions: readonly ScoreFunctionEntry<Q, F>[];
  readonly scoreMode: 'multiply' | 'sum' | 'avg' | 'first' | 'max' | 'min';
  readonly boostMode: 'multiply' | 'replace' | 'sum' | 'avg' | 'max' | 'min';
  /** Infinity if not given. */
  readonly maxBoost: number;
  readonly minScore?: number;
}
/** See `BoundScoreFunction`. */
export type BoundFunctionScore = FunctionScoreQuery<BoundQuery, BoundScoreFunction>;
/** Documents with a nested object that matches. */
export interface NestedQuery<Q = Query> extends QueryBase {
  readonly kind: 'nested';
  /** Full path of the nested object (`path` is the place in the request). */
  readonly nestedPath: string;
  readonly query: Q;
  readonly scoreMode: 'avg' | 'sum' | 'min' | 'max' | 'none';
  readonly ignoreUnmapped: boolean;
  readonly innerHits?: InnerHits<Q>;
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

/** Documents with a value, scored by its distance from an origin: `boost × pivot / (pivot + distance)`. */
export interface DistanceFeatureQuery extends QueryBase {
  readonly kind: 'distance_feature';
  /** A date or a `geo_point`. */
  readonly field: string;
  readonly origin: JsonScalar | Point;
  /** The distance at which the score is half of the boost: a duration or a length. */
  readonly pivot: JsonScalar;
}
/** A `distance_feature` on a mapped field. */
export interface BoundDistanceFeature extends DistanceFeatureQuery, OnField {
  /** `scale` is the pivot. */
  readonly coerced: CoercedDecay;
}

/** A query over the part of a collection that its caller sees; made by services, never parsed, replaced by `bindQuery`. */
export interface VisibleQuery extends QueryBase {
  readonly kind: 'visible';
  readonly query: Query;
  readonly view: SearchView;
}

/** A parsed query. */
export type Query =
  | VisibleQuery
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
  | MultiMatchQuery
  | CrossFieldsQuery
  | QueryStringQuery
  | BoolQuery
  | ConstantScoreQuery
  | DisMaxQuery
  | BoostingQuery
  | FunctionScoreQuery
  | DistanceFeatureQuery
  | NestedQuery
  | GeoDistanceQuery
  | GeoBoundingBoxQuery
  | GeoPolygonQuery
  | GeoShapeQuery;

/** A query bound to a mapping. */
export type BoundQuery =
  | MatchAllQuery
  | MatchNoneQuery
  | BoundTerm
  | BoundTerms
  | BoundRange
  | BoundExists
  | IdsQuery
  | BoundPrefix
  | BoundWildcard
  | BoundRegexp
  | BoundFuzzy
  | BoundMatch
  | BoundMatchPhrase
  | BoundMatchPhrasePrefix
  | BoundMatchBoolPrefix
  | BoundCrossFields
  | BoolQuery<BoundQuery>
  | ConstantScoreQuery<BoundQuery>
  | DisMaxQuery<BoundQuery>
  | BoostingQuery<BoundQuery>
  | BoundFunctionScore
  | BoundDistanceFeature
  | NestedQuery<BoundQuery>
  | (GeoDistanceQuery & OnField)
  | (GeoBoundingBoxQuery & OnField)
  | (GeoPolygonQuery & OnField)
  | (GeoShapeQuery & OnField);
