/*
 * Writes bound queries in Elasticsearch's query language. All fields are named explicitly, so patterns never match the
 * engine's metadata. Some queries are valid in our language and refused by Elasticsearch (1.5 on an integer); these are
 * replaced by equivalent ones.
 */
import type { JsonObject, JsonScalar, JsonValue } from '@millrace/language';
import type {
  BoolQuery,
  BoundDistanceFeature,
  BoundExists,
  BoundMatch,
  BoundMatchBoolPrefix,
  BoundQuery,
  BoundRange,
  BoundTerm,
  BoundTerms,
  CompiledMapping,
  MatchQuery,
  RangeBound,
} from '@millrace/query';
import { present } from './present.js';
import { toFunctionScore } from './toFunctionScore.js';
import { toGeoPolygon, toGeoShape } from './toGeoShape.js';
import { toInnerHits } from './toHighlight.js';
import { fuzzinessText, minimumText } from './textOptions.js';

const NOTHING: JsonObject = { match_none: {} };

/**
 * The body of `query` for Elasticsearch.
 * @param compiled the mapping that the query is bound to
 */
export function toElasticsearchQuery(query: BoundQuery, compiled: CompiledMapping): JsonObject {
  return new QueryWriter(compiled).write(query);
}

/** Passes `write` to functions that write queries inside others. */
class QueryWriter {
  constructor(private readonly compiled: CompiledMapping) {}

  readonly write = (query: BoundQuery): JsonObject => {
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
        return this.exists(query, base);
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
      case 'distance_feature':
        return { distance_feature: { ...distanceFeature(query), ...base } };
      default:
        return this.compound(query, base);
    }
  };

  private readonly writeAll = (queries: readonly BoundQuery[]): readonly JsonObject[] => queries.map(this.write);

  private term({ field, value, caseInsensitive, term }: BoundTerm, base: JsonObject): JsonObject {
    // Elasticsearch refuses some numbers that can't be values of the field.
    if (term.kind === 'none') return NOTHING;
    const options = caseInsensitive ? { case_insensitive: true } : undefined;
    return { term: keyed(field, { value, ...options, ...base }) };
  }

  private terms({ field, values, terms }: BoundTerms, base: JsonObject): JsonObject {
    const held = values.filter((_, i) => terms[i]?.kind !== 'none');
    return held.length === 0 ? NOTHING : { terms: { ...keyed(field, held), ...base } };
  }

  private range(query: BoundRange, base: JsonObject): JsonObject {
    const { field, mapped, lower, upper, format, timeZone } = query;
    // Only date fields accept these two; on other fields Elasticsearch refuses them and our language ignores them.
    const options = mapped.type === 'date' ? present({ format, time_zone: timeZone }) : {};
    const ends = {
      ...(lower === undefined ? {} : { [lower.inclusive ? 'gte' : 'gt']: boundOf(lower) }),
      ...(upper === undefined ? {} : { [upper.inclusive ? 'lte' : 'lt']: boundOf(upper) }),
    };
    return { range: keyed(field, { ...ends, ...options, ...base }) };
  }

  private exists({ field, fields }: BoundExists, base: JsonObject): JsonObject {
    const [only] = fields;
    if (fields.length === 1 && only?.name === field) return { exists: { field, ...base } };
    const should = fields.map(({ name }) => ({ exists: { field: name } }));
    return { constant_score: { filter: { bool: { should } }, ...base } };
  }

  private text(
    query: Extract<
      BoundQuery,
      {
        kind: 'match' | 'match_phrase' | 'match_phrase_prefix' | 'match_bool_prefix' | 'cross_fields';
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
        const { operator, tieBreaker, lenient, zeroTermsQuery, minimumShouldMatch } = query;
        const options = {
          type: 'cross_fields',
          fields: query.fields.map(({ field, boost }) => (boost === 1 ? field : `${field}^${boost}`)),
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
    query: Extract<BoundQuery, { kind: 'geo_distance' | 'geo_bounding_box' | 'geo_polygon' | 'geo_shape' }>,
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
        return constantScore({ geo_shape: { ...keyed(field, toGeoPolygon(query.points)), ...unmapped } }, base);
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
      BoundQuery,
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
          function_score: { ...toFunctionScore(query, this.write), ...base },
        };
      case 'nested': {
        const { nestedPath, scoreMode, ignoreUnmapped, innerHits } = query;
        return {
          nested: {
            path: nestedPath,
            query: this.write(query.query),
            score_mode: scoreMode,
            ignore_unmapped: ignoreUnmapped,
            ...(innerHits === undefined ? {} : { inner_hits: toInnerHits(innerHits, this.compiled) }),
            ...base,
          },
        };
      }
    }
  }

  private bool(query: BoolQuery<BoundQuery>, base: JsonObject): JsonObject {
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

/**
 * Elasticsearch reads a date as a string in the field's format, and rounds it up to the end of its day, unless date math
 * follows (here none, behind `||`). It accepts no fractions of milliseconds.
 */
function distanceFeature({ field, mapped, coerced }: BoundDistanceFeature): JsonObject {
  const { origin, scale } = coerced;
  if (typeof origin === 'object') return { field, origin: { lat: origin.lat, lon: origin.lon }, pivot: `${scale}m` };
  const pivot = `${Math.max(1, Math.round(scale))}ms`;
  return { field, origin: `${mapped.dateFormat.format(origin)}||`, pivot };
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
function baseOf({ boost }: BoundQuery): JsonObject {
  return boost === 1 ? {} : { boost };
}

/** An object with one user-chosen key: defined, never assigned, as the key may be `__proto__`. */
function keyed(field: string, value: JsonValue): JsonObject {
  return { [field]: value };
}

type PartQuery = Extract<BoundQuery, { kind: 'match_phrase' | 'match_phrase_prefix' | 'match_bool_prefix' }>;

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

function fuzzyOptions(query: BoundMatch | BoundMatchBoolPrefix): JsonObject {
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
