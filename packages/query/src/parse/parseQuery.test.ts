import { describe, expect, it } from 'vitest';
import type { JsonValue } from '@millrace/language';
import { QueryError } from '../errors.js';
import { resolveMinimumShouldMatch, parseMinimumShouldMatch } from './parseMinimumShouldMatch.js';
import { fuzzyEdits, parseFuzziness } from './parseFuzziness.js';
import { parseQuery } from '../request/parseSearch.js';

const all = { match_all: {} };

describe('queries (SEARCH-20, SEARCH-22, SEARCH-25)', () => {
  it.each<[JsonValue, object]>([
    [{ match_all: { boost: 2 } }, { kind: 'match_all', boost: 2 }],
    [{ term: { a: 1 } }, { kind: 'term', field: 'a', value: 1, caseInsensitive: false, path: 'query.term' }],
    [
      { term: { a: { value: 'x', case_insensitive: true, boost: 3, _name: 'n' } } },
      { value: 'x', caseInsensitive: true, boost: 3, name: 'n' },
    ],
    [{ term: { boost: 5 } }, { field: 'boost', value: 5 }],
    [{ terms: { a: ['x', 1], boost: 2 } }, { values: ['x', 1], boost: 2 }],
    [
      { range: { a: { gt: 1, lte: 2 } } },
      { lower: { value: 1, inclusive: false }, upper: { value: 2, inclusive: true } },
    ],
    [{ range: { a: { gte: null } } }, { kind: 'range' }],
    [{ exists: { field: 'a.*' } }, { kind: 'exists', field: 'a.*' }],
    [{ ids: { values: 'x', type: 't' } }, { values: ['x'] }],
    [{ prefix: { a: { value: 'x' } } }, { kind: 'prefix', value: 'x' }],
    [{ wildcard: { a: { wildcard: 'x*' } } }, { kind: 'wildcard', value: 'x*' }],
    [{ regexp: { a: { value: 'x.*', flags: 'interval|NONE' } } }, { kind: 'regexp', flags: 'INTERVAL|NONE' }],
    [
      { fuzzy: { a: 'x' } },
      {
        fuzziness: { kind: 'auto', low: 3, high: 6 },
        prefixLength: 0,
        maxExpansions: 50,
        transpositions: true,
      },
    ],
    [{ match: { a: 'x y' } }, { kind: 'match', query: 'x y', operator: 'or', zeroTermsQuery: 'none', lenient: false }],
    [
      { match: { a: { query: 5, operator: 'AND', fuzziness: 1 } } },
      { query: 5, operator: 'and', fuzziness: { edits: 1 } },
    ],
    [{ match_phrase: { a: { query: 'x y', slop: 2 } } }, { kind: 'match_phrase', slop: 2 }],
    [{ match_bool_prefix: { a: 'x y' } }, { kind: 'match_bool_prefix' }],
    [
      { multi_match: { query: 'x', fields: ['a^3', 'b*'] } },
      {
        type: 'best_fields',
        fields: [
          { field: 'a', boost: 3 },
          { field: 'b*', boost: 1 },
        ],
      },
    ],
    [{ bool: {} }, { kind: 'match_all' }],
    [{ bool: { should: [all] } }, { minimumShouldMatch: 1 }],
    [{ bool: { should: [all], minimum_should_match: 0 } }, { minimumShouldMatch: 1 }],
    [{ bool: { should: [all], filter: all } }, { minimumShouldMatch: 0 }],
    [{ bool: { should: [all, all, all], must: all, minimum_should_match: '75%' } }, { minimumShouldMatch: 2 }],
    [{ dis_max: { queries: [all], tie_breaker: 0.3 } }, { tieBreaker: 0.3 }],
    [{ boosting: { positive: all, negative: all, negative_boost: 0.2 } }, { negativeBoost: 0.2 }],
    [
      { function_score: { weight: 3 } },
      {
        query: { kind: 'match_all' },
        functions: [{ weight: 3, function: { kind: 'weight' } }],
        scoreMode: 'multiply',
        maxBoost: Number.POSITIVE_INFINITY,
      },
    ],
    [
      { function_score: { gauss: { d: { origin: '2024-01-01', scale: '10d' } } } },
      { functions: [{ function: { shape: 'gauss', field: 'd', decay: 0.5, offset: 0 } }] },
    ],
    [{ function_score: { functions: [{ filter: all, weight: 2 }] } }, { functions: [{ weight: 2 }] }],
    [
      { nested: { path: 'n', query: all, inner_hits: {} } },
      { scoreMode: 'avg', innerHits: { name: 'n', from: 0, size: 3 } },
    ],
    [
      { geo_distance: { distance: '1mi', loc: 'POINT (2 48)' } },
      { distanceMetres: 1609.344, point: { lat: 48, lon: 2 }, distanceType: 'arc' },
    ],
    [
      { geo_bounding_box: { loc: { top_right: [5, 9], bottom_left: [1, 2] } } },
      { top: 9, left: 1, bottom: 2, right: 5 },
    ],
    [{ geo_bounding_box: { loc: { wkt: 'BBOX (1, 5, 9, 2)' } } }, { top: 9, left: 1, bottom: 2, right: 5 }],
    [
      {
        geo_polygon: {
          loc: {
            points: [
              [0, 0],
              [1, 0],
              [1, 1],
            ],
          },
        },
      },
      { points: [{ lat: 0, lon: 0 }, {}, {}, { lat: 0, lon: 0 }] },
    ],
    [
      { geo_shape: { a: { shape: 'POINT (1 2)' } } },
      { relation: 'intersects', shape: { kind: 'point', point: { lat: 2, lon: 1 } } },
    ],
    [
      {
        geo_shape: {
          a: {
            shape: {
              type: 'Envelope',
              coordinates: [
                [1, 9],
                [5, 2],
              ],
            },
          },
        },
      },
      { shape: { north: 9, west: 1, south: 2, east: 5 } },
    ],
    [
      { geo_shape: { a: { shape: { type: 'circle', coordinates: [1, 2], radius: '1km' } } } },
      { shape: { radiusMetres: 1000 } },
    ],
  ])('reads %j', (query, expected) => {
    expect(parseQuery(query)).toMatchObject(expected);
  });

  it.each<[string, JsonValue]>([
    ['an unknown query', { resembles: {} }],
    ['a name from the prototype', { constructor: {} }],
    ['two queries', { term: { a: 1 }, match_all: {} }],
    ['term on two fields', { term: { a: 1, b: 2 } }],
    ['term without a value', { term: { a: null } }],
    ['term on a list', { term: { a: [1] } }],
    ['an unknown option', { match: { a: { query: 'x', colour: 'red' } } }],
    ['an unknown bound', { range: { a: { above: 3 } } }],
    ['an unknown time zone', { range: { a: { gte: 1, time_zone: 'Mars/Base' } } }],
    ['an unknown date format', { range: { a: { gte: 1, format: 'jjjj' } } }],
    ['terms without a list', { terms: { a: 'x' } }],
    ['null among terms', { terms: { a: [null] } }],
    ['bool with an unknown clause', { bool: { perhaps: [] } }],
    ['a negative boost', { match_all: { boost: -1 } }],
    ['a fuzziness that cannot become text', { match: { a: { query: 'x', fuzziness: { toString: 1, valueOf: 1 } } } }],
    ['a fuzziness of 3', { match: { a: { query: 'x', fuzziness: 3 } } }],
    ['fuzziness of a phrase', { multi_match: { query: 'x', fields: ['a'], type: 'phrase', fuzziness: 1 } }],
    ['dis_max without queries', { dis_max: {} }],
    ['boosting without negative_boost', { boosting: { positive: all, negative: all } }],
    ['an empty score function', { function_score: { functions: [{}] } }],
    ['two score functions', { function_score: { gauss: {}, exp: {} } }],
    ['distance_feature without pivot', { distance_feature: { field: 'd', origin: 'now' } }],
    ['distance_feature without origin', { distance_feature: { field: 'd', pivot: '1d' } }],
    ['nested without path', { nested: { query: all } }],
    ['a latitude of 95', { geo_distance: { distance: '1km', loc: { lat: 95, lon: 0 } } }],
    ['a height', { geo_distance: { distance: 1, loc: [1, 2, 3] } }],
    ['a height in text', { geo_distance: { distance: 1, loc: '2,1,3' } }],
    ['a point with more in it', { geo_distance: { distance: 1, loc: { lat: 2, lon: 1, foo: 1 } } }],
    ['a box twice', { geo_bounding_box: { loc: { wkt: 'BBOX (0, 5, 5, 0)', top: 5 } } }],
    ['a distance in parsecs', { geo_distance: { distance: '3 parsecs', loc: [0, 0] } }],
    ['a box upside down', { geo_bounding_box: { loc: { top: 0, left: 0, bottom: 5, right: 5 } } }],
    [
      'a polygon of two points',
      {
        geo_polygon: {
          loc: {
            points: [
              [0, 0],
              [1, 0],
            ],
          },
        },
      },
    ],
    [
      'an open ring',
      {
        geo_shape: {
          a: {
            shape: {
              type: 'polygon',
              coordinates: [
                [
                  [0, 0],
                  [1, 0],
                  [1, 1],
                  [0, 1],
                ],
              ],
            },
          },
        },
      },
    ],
    ['an unclosed WKT', { geo_shape: { a: { shape: 'POINT (1 2' } } }],
    ['regexp with rewrite', { regexp: { a: { value: 'x', rewrite: 'constant_score' } } }],
    ['regexp under its own name', { regexp: { a: { regexp: 'x' } } }],
    ['prefix under its own name', { prefix: { a: { prefix: 'x' } } }],
    ['a number for a path', { nested: { path: 5, query: all } }],
    ['two boosts of a field', { multi_match: { query: 'x', fields: ['a^2^3'] } }],
    ['slop by words', { multi_match: { query: 'x', type: 'bool_prefix', slop: 1 } }],
    ['fields twice', { query_string: { query: 'x', fields: ['a'], default_field: 'a' } }],
    ['an escaped query_string', { query_string: { query: 'a:b', escape: true } }],
    ['a regexp of 1,001 characters', { regexp: { a: 'x'.repeat(1001) } }],
  ])('refuses %s', (_, query) => {
    expect(() => parseQuery(query)).toThrow(QueryError);
  });

  it('names construct and path', () => {
    expect(() => parseQuery({ bool: { must: [{ nope: {} }] } })).toThrow('Unknown query "nope" at query.bool.must[0]');
  });

  it('names the place of an unknown date format', () => {
    expect(() => parseQuery({ range: { day: { gte: 'x', format: 'foo' } } })).toThrow(
      /^Unknown date format "foo".* \(at query\.range\.day\.format\)$/,
    );
  });

  it('brings points out of range back if asked to', () => {
    expect(parseQuery({ geo_distance: { distance: 1, loc: [190, 100], validation_method: 'COERCE' } })).toMatchObject({
      point: { lat: 80, lon: 10 },
    });
  });
});

describe('minimum_should_match (SEARCH-23)', () => {
  it.each<[JsonValue, number, number]>([
    [2, 5, 2],
    [-1, 5, 4],
    ['75%', 4, 3],
    ['75%', 3, 2],
    ['-25%', 4, 3],
    ['3<90%', 3, 3],
    ['3<90%', 10, 9],
    ['2<-25% 9<-3', 2, 2],
    ['2<-25% 9<-3', 8, 6],
    ['2<-25% 9<-3', 12, 9],
    [7, 3, 7],
    [-7, 3, 0],
  ])('%j of %i clauses is %i', (value, count, expected) => {
    expect(resolveMinimumShouldMatch(parseMinimumShouldMatch(value, 'x'), count)).toBe(expected);
  });

  it.each(['', 'many', '3<', '<3', '1<2<3', '%', 1.5])('refuses %j', (value) => {
    expect(() => parseMinimumShouldMatch(value, 'x')).toThrow(QueryError);
  });
});

describe('fuzziness (SEARCH-23)', () => {
  it('permits edits by length', () => {
    const auto = parseFuzziness('AUTO', 'x');
    expect([2, 3, 5, 6].map((length) => fuzzyEdits(auto, length))).toEqual([0, 1, 1, 2]);
    expect(fuzzyEdits(parseFuzziness('auto:4,8', 'x'), 7)).toBe(1);
    expect(fuzzyEdits(parseFuzziness('2', 'x'), 1)).toBe(2);
  });
});
