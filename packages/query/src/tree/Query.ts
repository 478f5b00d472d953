import type * as kinds from '../kinds/forms.js';
import type { CompiledField } from '../mapping/CompiledMapping.js';

/*
 * The two forms of a query. Parsing gives a `Query`: every default resolved, the legacy forms of SEARCH-30 rewritten,
 * everything checked that doesn't depend on the mapping. `bindQuery` makes a `BoundQuery` of it, once per request: the
 * fields of `multi_match` and `query_string` are expanded, values are read by the types of their fields, and what
 * doesn't fit the mapping is refused. Engines execute or translate bound queries only. A bound node has all properties
 * of the parsed one, for engines that forward values as they were given.
 */

export type * from '../kinds/forms.js';

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

/** A parsed query. */
export type Query =
  | kinds.MatchAllQuery
  | kinds.MatchNoneQuery
  | kinds.TermQuery
  | kinds.TermsQuery
  | kinds.RangeQuery
  | kinds.ExistsQuery
  | kinds.IdsQuery
  | kinds.PrefixQuery
  | kinds.WildcardQuery
  | kinds.RegexpQuery
  | kinds.FuzzyQuery
  | kinds.MatchQuery
  | kinds.MatchBoolPrefixQuery
  | kinds.MatchPhraseQuery
  | kinds.MatchPhrasePrefixQuery
  | kinds.MultiMatchQuery
  | kinds.CrossFieldsQuery
  | kinds.QueryStringQuery
  | kinds.BoolQuery
  | kinds.ConstantScoreQuery
  | kinds.DisMaxQuery
  | kinds.BoostingQuery
  | kinds.FunctionScoreQuery
  | kinds.DistanceFeatureQuery
  | kinds.NestedQuery
  | kinds.GeoDistanceQuery
  | kinds.GeoBoundingBoxQuery
  | kinds.GeoPolygonQuery
  | kinds.GeoShapeQuery
  | kinds.VisibleQuery;

/** A query bound to a mapping. */
export type BoundQuery =
  | kinds.MatchAllQuery
  | kinds.MatchNoneQuery
  | kinds.BoundTerm
  | kinds.BoundTerms
  | kinds.BoundRange
  | kinds.BoundExists
  | kinds.IdsQuery
  | kinds.BoundPrefix
  | kinds.BoundWildcard
  | kinds.BoundRegexp
  | kinds.BoundFuzzy
  | kinds.BoundMatch
  | kinds.BoundMatchBoolPrefix
  | kinds.BoundMatchPhrase
  | kinds.BoundMatchPhrasePrefix
  | kinds.BoundCrossFields
  | kinds.BoolQuery<BoundQuery>
  | kinds.ConstantScoreQuery<BoundQuery>
  | kinds.DisMaxQuery<BoundQuery>
  | kinds.BoostingQuery<BoundQuery>
  | kinds.BoundFunctionScore
  | kinds.BoundDistanceFeature
  | kinds.NestedQuery<BoundQuery>
  | (kinds.GeoDistanceQuery & OnField)
  | (kinds.GeoBoundingBoxQuery & OnField)
  | (kinds.GeoPolygonQuery & OnField)
  | (kinds.GeoShapeQuery & OnField);

/** The query that finds all documents. */
export const EVERY_DOCUMENT: Query = { kind: 'match_all', path: '', boost: 1 };
