/*
 * Writes bound queries in Elasticsearch's query language. All fields are named explicitly, so patterns never match the
 * engine's metadata. Some queries are valid in our language and refused by Elasticsearch (1.5 on an integer); these are
 * replaced by equivalent ones.
 */
import type { JsonObject, JsonScalar, JsonValue } from '@millrace/language';
import type {
  BoundDistanceFeature,
  BoundMatch,
  BoundMatchBoolPrefix,
  BoundPrefix,
  BoundQuery,
  BoundRegexp,
  BoundWildcard,
  CompiledMapping,
  MatchQuery,
  RangeBound,
  Fuzziness,
  MinimumShouldMatch,
} from '@millrace/query';
import { present } from './present.js';
import { toFunctionScore } from './toFunctionScore.js';
import { toGeoPolygon, toGeoShape } from './toGeoShape.js';
import { toInnerHits } from './toHighlight.js';

/**
 * The body of `query` for Elasticsearch.
 * @param compiled the mapping that the query is bound to
 */
export function toElasticsearchQuery(query: BoundQuery, compiled: CompiledMapping): JsonObject {
  const write = (each: BoundQuery): JsonObject => {
    const writeKind = WRITERS[each.kind] as (query: BoundQuery, base: JsonObject, context: Context) => JsonObject;
    return writeKind(each, baseOf(each), context);
  };
  const context: Context = { write, compiled };
  return write(query);
}

interface Context {
  /** Writes the queries inside. */
  readonly write: (query: BoundQuery) => JsonObject;
  readonly compiled: CompiledMapping;
}

const NOTHING: JsonObject = { match_none: {} };
/** An unmapped field matches nothing, whether or not the request sets `ignore_unmapped`. */
const UNMAPPED: JsonObject = { ignore_unmapped: true };

/** A function for every kind of query. `base` is written into the body. */
const WRITERS: {
  readonly [K in BoundQuery['kind']]: (
    query: Extract<BoundQuery, { kind: K }>,
    base: JsonObject,
    context: Context,
  ) => JsonObject;
} = {
  match_all: (_, base) => ({ match_all: base }),
  match_none: () => NOTHING,
  term({ field, value, caseInsensitive, term }, base) {
    // Elasticsearch refuses some numbers that can't be values of the field.
    if (term.kind === 'none') return NOTHING;
    const options = caseInsensitive ? { case_insensitive: true } : undefined;
    return { term: keyed(field, { value, ...options, ...base }) };
  },
  terms({ field, values, terms }, base) {
    const held = values.filter((_, i) => terms[i]?.kind !== 'none');
    return held.length === 0 ? NOTHING : { terms: { ...keyed(field, held), ...base } };
  },
  range({ field, mapped, lower, upper, format, timeZone }, base) {
    // Only date fields accept these two; on other fields Elasticsearch refuses them and our language ignores them.
    const options = mapped.type === 'date' ? present({ format, time_zone: timeZone }) : {};
    const ends = {
      ...(lower === undefined ? {} : { [lower.inclusive ? 'gte' : 'gt']: boundOf(lower) }),
      ...(upper === undefined ? {} : { [upper.inclusive ? 'lte' : 'lt']: boundOf(upper) }),
    };
    return { range: keyed(field, { ...ends, ...options, ...base }) };
  },
  exists({ field, fields }, base) {
    const [only] = fields;
    if (fields.length === 1 && only?.name === field) return { exists: { field, ...base } };
    const should = fields.map(({ name }) => ({ exists: { field: name } }));
    return constantScore({ bool: { should } }, base);
  },
  ids: ({ values }, base) => ({ ids: { values, ...base } }),
  prefix: (query, base) => ({ prefix: pattern(query, base) }),
  wildcard: (query, base) => ({ wildcard: pattern(query, base) }),
  regexp: (query, base) => ({ regexp: pattern(query, { flags: query.flags, ...base }) }),
  fuzzy: ({ field, value, fuzziness, prefixLength, maxExpansions, transpositions }, base) => ({
    fuzzy: keyed(field, {
      value,
      fuzziness: fuzzinessText(fuzziness),
      prefix_length: prefixLength,
      max_expansions: maxExpansions,
      transpositions,
      ...base,
    }),
  }),
  match(query, base) {
    const options = { lenient: query.lenient, zero_terms_query: query.zeroTermsQuery };
    return { match: keyed(query.field, { ...textOf(query), ...base, ...options, ...fuzzyOptions(query) }) };
  },
  match_bool_prefix(query, base) {
    const { field, lenient, zeroTermsQuery } = query;
    const body = { ...textOf(query), ...base, ...fuzzyOptions(query) };
    const isMultiMatch = lenient || zeroTermsQuery === 'all';
    return isMultiMatch ? multiMatch('bool_prefix', query, body) : { match_bool_prefix: keyed(field, body) };
  },
  match_phrase(query, base) {
    const { field, slop, lenient, zeroTermsQuery } = query;
    const body = { ...textOf(query), ...base, slop, zero_terms_query: zeroTermsQuery };
    return lenient ? multiMatch('phrase', query, body) : { match_phrase: keyed(field, body) };
  },
  match_phrase_prefix(query, base) {
    const { field, slop, maxExpansions, lenient, zeroTermsQuery } = query;
    const options = { slop, max_expansions: maxExpansions, zero_terms_query: zeroTermsQuery };
    const body = { ...textOf(query), ...base, ...options };
    return lenient ? multiMatch('phrase_prefix', query, body) : { match_phrase_prefix: keyed(field, body) };
  },
  cross_fields(query, base) {
    const { operator, tieBreaker, lenient, zeroTermsQuery, minimumShouldMatch } = query;
    const options = {
      type: 'cross_fields',
      fields: query.fields.map(({ field, boost }) => (boost === 1 ? field : `${field}^${boost}`)),
      operator,
      tie_breaker: tieBreaker,
      lenient,
      zero_terms_query: zeroTermsQuery,
    };
    return { multi_match: { ...textOf(query), ...base, ...options, ...minimumOption(minimumShouldMatch) } };
  },
  bool({ must, filter, should, mustNot, minimumShouldMatch }, base, { write }) {
    // A minimum above the number of choices matches nothing, but Elasticsearch reads the clauses. With negations alone
    // it ignores the minimum.
    const hasMinimum = should.length > 0 || minimumShouldMatch > 0;
    return {
      bool: {
        ...(must.length === 0 ? {} : { must: must.map(write) }),
        ...(filter.length === 0 ? {} : { filter: filter.map(write) }),
        ...(should.length === 0 ? {} : { should: should.map(write) }),
        ...(hasMinimum ? { minimum_should_match: minimumShouldMatch } : {}),
        ...(mustNot.length === 0 ? {} : { must_not: mustNot.map(write) }),
        ...base,
      },
    };
  },
  constant_score: ({ filter }, base, { write }) => constantScore(write(filter), base),
  dis_max({ queries, tieBreaker }, base, { write }) {
    if (queries.length === 0) return NOTHING;
    return { dis_max: { queries: queries.map(write), tie_breaker: tieBreaker, ...base } };
  },
  boosting: ({ positive, negative, negativeBoost }, base, { write }) => ({
    boosting: { positive: write(positive), negative: write(negative), negative_boost: negativeBoost, ...base },
  }),
  function_score: (query, base, { write }) => ({ function_score: { ...toFunctionScore(query, write), ...base } }),
  distance_feature: (query, base) => ({ distance_feature: { ...distanceFeature(query), ...base } }),
  nested: ({ nestedPath, query, scoreMode, ignoreUnmapped, innerHits }, base, { write, compiled }) => ({
    nested: {
      path: nestedPath,
      query: write(query),
      score_mode: scoreMode,
      ignore_unmapped: ignoreUnmapped,
      ...(innerHits === undefined ? {} : { inner_hits: toInnerHits(innerHits, compiled) }),
      ...base,
    },
  }),
  geo_distance({ field, point, distanceMetres, distanceType }, base) {
    const place = keyed(field, { lat: point.lat, lon: point.lon });
    const options = { distance: `${distanceMetres}m`, distance_type: distanceType };
    return { geo_distance: { ...place, ...options, ...UNMAPPED, ...base } };
  },
  geo_bounding_box: ({ field, top, left, bottom, right }, base) => ({
    geo_bounding_box: { ...keyed(field, { top, left, bottom, right }), ...UNMAPPED, ...base },
  }),
  geo_polygon: ({ field, points }, base) =>
    constantScore({ geo_shape: { ...keyed(field, toGeoPolygon(points)), ...UNMAPPED } }, base),
  geo_shape: ({ field, shape, relation }, base) =>
    constantScore({ geo_shape: { ...keyed(field, { shape: toGeoShape(shape), relation }), ...UNMAPPED } }, base),
};

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

function pattern({ field, value, caseInsensitive }: BoundPrefix | BoundWildcard | BoundRegexp, base: JsonObject) {
  const options = caseInsensitive ? { case_insensitive: true } : undefined;
  return keyed(field, { value, ...options, ...base });
}

function textOf({ query, analyzer }: Pick<MatchQuery, 'query' | 'analyzer'>): JsonObject {
  return { query, ...present({ analyzer }) };
}

/** A phrase or prefix query with options that Elasticsearch supports only in a `multi_match`, here on one field. */
function multiMatch(
  type: string,
  { field, lenient, zeroTermsQuery }: Pick<MatchQuery, 'field' | 'lenient' | 'zeroTermsQuery'>,
  body: JsonObject,
): JsonObject {
  return { multi_match: { ...body, fields: [field], lenient, zero_terms_query: zeroTermsQuery, type } };
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

/** Elasticsearch's notation of a fuzziness: `AUTO:3,6`, `1`. */
function fuzzinessText(fuzziness: Fuzziness): string {
  if (fuzziness.kind === 'edits') return String(fuzziness.edits);
  return `AUTO:${fuzziness.low},${fuzziness.high}`;
}

/** Elasticsearch's notation of a minimum: `2<-25% 9<-3`. */
function minimumText(minimum: MinimumShouldMatch): string {
  return minimum
    .map(({ above, amount, isPercent }) => {
      const text = `${amount}${isPercent ? '%' : ''}`;
      return above < 0 ? text : `${above}<${text}`;
    })
    .join(' ');
}
