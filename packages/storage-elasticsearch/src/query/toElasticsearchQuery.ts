/*
 * Writes the typed tree in Elasticsearch's query language. `expandFields` has already replaced the queries that search
 * many fields, so that all fields are named explicitly and patterns never match the engine's metadata. Some queries are
 * valid in our language and refused by Elasticsearch (an unmapped field in a geo query, 1.5 on an integer); these are
 * replaced by equivalent ones.
 */
import type { JsonObject, JsonScalar, JsonValue } from '@millrace/language';
import {
  canExist,
  coerceTerm,
  expandFields,
  isNumberType,
  resolveExists,
  type CompiledMapping,
  type ExpandedQuery,
  type MatchBoolPrefixQuery,
  type MatchQuery,
  type BoolQuery,
  type Query,
  type RangeBound,
  type RangeQuery,
  type TermQuery,
  type TermsQuery,
} from '@millrace/query';
import { ID_FIELD } from '../client/METADATA.js';
import { present } from './present.js';
import { toFunctionScore } from './toFunctionScore.js';
import { toGeoPolygon, toGeoShape } from './toGeoShape.js';
import { toInnerHits } from './toHighlight.js';
import { fuzzinessText, minimumText } from './textOptions.js';

const NOTHING: JsonObject = { match_none: {} };

/**
 * The body of `query` for Elasticsearch.
 * @param compiled the mapping of the collection; `checkAgainstMapping` must have passed
 * @param nestedPath the nested field whose objects are searched; undefined: documents
 * @throws QueryError if the result has more than 1,024 clauses
 */
export function toElasticsearchQuery(
  query: Query,
  compiled: CompiledMapping,
  nestedPath?: string,
): JsonObject {
  return new QueryWriter(compiled).write(expandFields(query, compiled, nestedPath));
}

/** Writes expanded queries. Passes `write` to functions that write queries inside others. */
class QueryWriter {
  constructor(private readonly compiled: CompiledMapping) {}

  readonly write = (given: Query): JsonObject => {
    const query = given as ExpandedQuery;
    const base = baseOf(query);
    switch (query.kind) {
      case 'match_all':
        return { match_all: base };
      case 'match_none':
        return NOTHING;
      case 'term':
        return this.term(query, base);
      case 'terms':
        return this.terms(query, base);
      case 'range':
        return this.range(query, base);
      case 'exists':
        return this.exists(query.field, base);
      case 'ids':
        return { ids: { values: query.values, ...base } };
      case 'prefix':
      case 'wildcard':
      case 'regexp': {
        const { field, value, caseInsensitive } = query;
        const flags = query.kind === 'regexp' ? { flags: query.flags } : undefined;
        const options = caseInsensitive ? { case_insensitive: true } : undefined;
        return { [query.kind]: keyed(field, { value, ...options, ...flags, ...base }) };
      }
      case 'fuzzy':
        return {
          fuzzy: keyed(query.field, {
            value: query.value,
            fuzziness: fuzzinessText(query.fuzziness),
            prefix_length: query.prefixLength,
            max_expansions: query.maxExpansions,
            transpositions: query.transpositions,
            ...base,
          }),
        };
      case 'match':
      case 'match_phrase':
      case 'match_phrase_prefix':
      case 'match_bool_prefix':
      case 'cross_fields':
        return this.text(query, base);
      case 'geo_distance':
      case 'geo_bounding_box':
      case 'geo_polygon':
      case 'geo_shape':
        return this.geo(query, base);
      default:
        return this.compound(query, base);
    }
  };

  /** For queries outside the tree, which have not been expanded with it. */
  private readonly writeFresh = (query: Query, nestedPath?: string): JsonObject =>
    toElasticsearchQuery(query, this.compiled, nestedPath);

  private readonly writeAll = (queries: readonly Query[]): readonly JsonObject[] =>
    queries.map(this.write);

  private term({ field, value, caseInsensitive, path }: TermQuery, base: JsonObject): JsonObject {
    if (field === '_id') {
      if (!caseInsensitive) return { ids: { values: [String(value)], ...base } };
      const filter = { term: { [ID_FIELD]: { value: String(value), case_insensitive: true } } };
      return { constant_score: { filter, ...base } };
    }
    if (!this.canHold(field, value, path)) return NOTHING;
    const type = this.compiled.fields.get(field)?.type;
    const ignoresCase = caseInsensitive && /^(text|keyword|boolean)$/.test(type ?? '');
    const options = ignoresCase ? { case_insensitive: true } : undefined;
    return { term: keyed(field, { value, ...options, ...base }) };
  }

  private terms({ field, values, path }: TermsQuery, base: JsonObject): JsonObject {
    if (field === '_id') return { ids: { values: values.map(String), ...base } };
    const held = values.filter((value) => this.canHold(field, value, path));
    return held.length === 0 ? NOTHING : { terms: { ...keyed(field, held), ...base } };
  }

  /** False if a number can't be a value of the field: Elasticsearch refuses some of those. */
  private canHold(name: string, value: JsonScalar, path: string): boolean {
    const field = this.compiled.fields.get(name);
    if (field === undefined || !isNumberType(field.type)) return true;
    return coerceTerm(field, value, path).kind !== 'none';
  }

  private range(query: RangeQuery, base: JsonObject): JsonObject {
    const { field, lower, upper, format, timeZone } = query;
    // Only date fields accept these two; on other fields Elasticsearch refuses them and our language ignores them.
    const isDate = this.compiled.fields.get(field)?.type === 'date';
    const options = isDate ? present({ format, time_zone: timeZone }) : {};
    const ends = {
      ...(lower === undefined ? {} : { [lower.inclusive ? 'gte' : 'gt']: boundOf(lower) }),
      ...(upper === undefined ? {} : { [upper.inclusive ? 'lte' : 'lt']: boundOf(upper) }),
    };
    return { range: keyed(field, { ...ends, ...options, ...base }) };
  }

  private exists(field: string, base: JsonObject): JsonObject {
    if (field === '_id') return { match_all: base };
    const fields = resolveExists(this.compiled, field);
    // Elasticsearch fails for text fields that are stored but not indexed, instead of finding nothing.
    const seen = fields.filter((found) => canExist(found) || found.type !== 'text');
    if (!field.includes('*') && seen.length === fields.length)
      return { exists: { field, ...base } };
    if (seen.length === 0) return NOTHING;
    const should = seen.map(({ name }) => ({ exists: { field: name } }));
    return { constant_score: { filter: { bool: { should } }, ...base } };
  }

  private text(
    query: Extract<
      ExpandedQuery,
      {
        kind:
          'match' | 'match_phrase' | 'match_phrase_prefix' | 'match_bool_prefix' | 'cross_fields';
      }
    >,
    base: JsonObject,
  ): JsonObject {
    const { kind, query: text, analyzer } = query;
    const common = { query: text, ...present({ analyzer }), ...base };
    if (kind !== 'match' && kind !== 'cross_fields' && isMultiMatchOnly(query))
      return { multi_match: { ...common, ...multiMatchOptions(query) } };
    switch (kind) {
      case 'match': {
        const options = { lenient: query.lenient, zero_terms_query: query.zeroTermsQuery };
        return { match: keyed(query.field, { ...common, ...options, ...fuzzyOptions(query) }) };
      }
      case 'match_bool_prefix':
        return { match_bool_prefix: keyed(query.field, { ...common, ...fuzzyOptions(query) }) };
      case 'match_phrase': {
        const options = { slop: query.slop, zero_terms_query: query.zeroTermsQuery };
        return { match_phrase: keyed(query.field, { ...common, ...options }) };
      }
      case 'match_phrase_prefix': {
        const options = {
          slop: query.slop,
          max_expansions: query.maxExpansions,
          zero_terms_query: query.zeroTermsQuery,
        };
        return { match_phrase_prefix: keyed(query.field, { ...common, ...options }) };
      }
      case 'cross_fields': {
        if (query.fields.length === 0) return NOTHING;
        const { operator, tieBreaker, lenient, zeroTermsQuery, minimumShouldMatch } = query;
        const options = {
          type: 'cross_fields',
          fields: query.fields.map(({ field, boost }) =>
            boost === 1 ? field : `${field}^${boost}`,
          ),
          operator,
          tie_breaker: tieBreaker,
          lenient,
          zero_terms_query: zeroTermsQuery,
        };
        return { multi_match: { ...common, ...options, ...minimumOption(minimumShouldMatch) } };
      }
    }
  }

  private geo(
    query: Extract<
      ExpandedQuery,
      { kind: 'geo_distance' | 'geo_bounding_box' | 'geo_polygon' | 'geo_shape' }
    >,
    base: JsonObject,
  ): JsonObject {
    const { field } = query;
    // An unmapped field matches nothing, whether or not the request sets `ignore_unmapped`.
    const unmapped = { ignore_unmapped: true };
    const options = { ...unmapped, ...base };
    switch (query.kind) {
      case 'geo_distance': {
        const { point, distanceMetres, distanceType } = query;
        const place = keyed(field, { lat: point.lat, lon: point.lon });
        return {
          geo_distance: {
            ...place,
            distance: `${distanceMetres}m`,
            distance_type: distanceType,
            ...options,
          },
        };
      }
      case 'geo_bounding_box': {
        const { top, left, bottom, right } = query;
        return { geo_bounding_box: { ...keyed(field, { top, left, bottom, right }), ...options } };
      }
      case 'geo_polygon':
        return constantScore(
          { geo_shape: { ...keyed(field, toGeoPolygon(query.points)), ...unmapped } },
          base,
        );
      case 'geo_shape': {
        const { shape, relation } = query;
        const filter = {
          geo_shape: { ...keyed(field, { shape: toGeoShape(shape), relation }), ...unmapped },
        };
        return constantScore(filter, base);
      }
    }
  }

  private compound(
    query: Extract<
      ExpandedQuery,
      { kind: 'bool' | 'constant_score' | 'dis_max' | 'boosting' | 'function_score' | 'nested' }
    >,
    base: JsonObject,
  ): JsonObject {
    switch (query.kind) {
      case 'bool':
        return this.bool(query, base);
      case 'constant_score':
        return { constant_score: { filter: this.write(query.filter), ...base } };
      case 'dis_max': {
        const { queries, tieBreaker } = query;
        if (queries.length === 0) return NOTHING;
        return { dis_max: { queries: this.writeAll(queries), tie_breaker: tieBreaker, ...base } };
      }
      case 'boosting':
        return {
          boosting: {
            positive: this.write(query.positive),
            negative: this.write(query.negative),
            negative_boost: query.negativeBoost,
            ...base,
          },
        };
      case 'function_score':
        return {
          function_score: { ...toFunctionScore(query, this.compiled, this.write), ...base },
        };
      case 'nested': {
        const { nestedPath, scoreMode, ignoreUnmapped, innerHits } = query;
        return {
          nested: {
            path: nestedPath,
            query: this.write(query.query),
            score_mode: scoreMode,
            ignore_unmapped: ignoreUnmapped,
            ...(innerHits === undefined
              ? {}
              : { inner_hits: toInnerHits(innerHits, this.compiled, this.writeFresh, nestedPath) }),
            ...base,
          },
        };
      }
    }
  }

  private bool(query: BoolQuery, base: JsonObject): JsonObject {
    const { must, filter, should, mustNot, minimumShouldMatch } = query;
    // A minimum above the number of choices matches nothing, but Elasticsearch reads the clauses. With negations alone
    // it ignores the minimum.
    const hasMinimum = should.length > 0 || minimumShouldMatch > 0;
    return {
      bool: {
        ...(must.length === 0 ? {} : { must: this.writeAll(must) }),
        ...(filter.length === 0 ? {} : { filter: this.writeAll(filter) }),
        ...(should.length === 0 ? {} : { should: this.writeAll(should) }),
        ...(hasMinimum ? { minimum_should_match: minimumShouldMatch } : {}),
        ...(mustNot.length === 0 ? {} : { must_not: this.writeAll(mustNot) }),
        ...base,
      },
    };
  }
}

/** JSON has no notation for numbers beyond 64 bits (1e400 parses as infinity), and `null` would mean no bound. */
function boundOf({ value }: RangeBound): JsonScalar {
  if (typeof value !== 'number' || Number.isFinite(value)) return value;
  return value > 0 ? '1e400' : '-1e400';
}

/** Elasticsearch scores some shape queries 0 where SEARCH-90 requires the boost. */
function constantScore(filter: JsonObject, base: JsonObject): JsonObject {
  return { constant_score: { filter, ...base } };
}

/** Omits `_name`: hits don't show it (SEARCH-10), and Elasticsearch would compute scores for it. */
function baseOf({ boost }: Query): JsonObject {
  return boost === 1 ? {} : { boost };
}

/** An object with one user-chosen key: defined, never assigned, as the key may be `__proto__`. */
function keyed(field: string, value: JsonValue): JsonObject {
  return { [field]: value };
}

type PartQuery = Extract<
  ExpandedQuery,
  { kind: 'match_phrase' | 'match_phrase_prefix' | 'match_bool_prefix' }
>;

/** Whether Elasticsearch supports this phrase or prefix query only as a `multi_match` on one field. */
function isMultiMatchOnly(query: PartQuery): boolean {
  return query.lenient || (query.kind === 'match_bool_prefix' && query.zeroTermsQuery === 'all');
}

function multiMatchOptions(query: PartQuery): JsonObject {
  const { field, lenient, zeroTermsQuery } = query;
  const shared = { fields: [field], lenient, zero_terms_query: zeroTermsQuery };
  switch (query.kind) {
    case 'match_phrase':
      return { ...shared, type: 'phrase', slop: query.slop };
    case 'match_phrase_prefix': {
      const { slop, maxExpansions } = query;
      return { ...shared, type: 'phrase_prefix', slop, max_expansions: maxExpansions };
    }
    case 'match_bool_prefix':
      return { ...shared, type: 'bool_prefix', ...fuzzyOptions(query) };
  }
}

function minimumOption(minimum: MatchQuery['minimumShouldMatch']): JsonObject {
  return minimum === undefined ? {} : { minimum_should_match: minimumText(minimum) };
}

function fuzzyOptions(query: MatchQuery | MatchBoolPrefixQuery): JsonObject {
  const { operator, fuzziness, prefixLength, maxExpansions, fuzzyTranspositions } = query;
  return {
    operator,
    ...minimumOption(query.minimumShouldMatch),
    prefix_length: prefixLength,
    max_expansions: maxExpansions,
    fuzzy_transpositions: fuzzyTranspositions,
    ...(fuzziness === undefined ? {} : { fuzziness: fuzzinessText(fuzziness) }),
  };
}
