import type { JsonObject } from '@millrace/language';

/** A hostile search and what becomes of it: `refused` whatever the data are, else answered or refused by the time it takes. */
export interface SearchBomb {
  readonly body: JsonObject;
  readonly isRefused?: boolean;
}

const times = <T>(count: number, make: (n: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, n) => make(n));
const letter = (n: number): string => String.fromCharCode(97 + (n % 26));
const words = (count: number): string => times(count, (n) => `w${n}`).join(' ');
const should = (count: number, make: (n: number) => JsonObject) => ({
  query: { bool: { should: times(count, make) } },
});
const inOne = (a: JsonObject) => ({ size: 0, aggs: { a } });
const terms = (field: string, size: number, a?: JsonObject): JsonObject => ({
  terms: { field, size },
  ...(a === undefined ? {} : { aggs: { a } }),
});

function nested(depth: number, wrap: (inner: JsonObject) => JsonObject, core: JsonObject) {
  let body = core;
  for (let level = 0; level < depth; level += 1) body = wrap(body);
  return body;
}

const DAYS = { date_histogram: { field: 'day', fixed_interval: '1ms' } };
const TAGS = (depth: number) => nested(depth - 1, (a) => terms('tags', 10, a), terms('tags', 10));
const SOURCES = (count: number) => times(count, (n) => ({ [`s${n}`]: { terms: { field: 'tags' } } }));
const RANGES = { range: { field: 'n', ranges: times(200, (from) => ({ from })) } };
const INNER = { path: 'parts', query: { wildcard: { 'parts.name': '*a*' } } };
const POINTS = times(9_999, (n) => ({ lat: Math.sin(n) * 80, lon: Math.cos(n * 7) * 170 }));

/** By name; the fields are those of `elasticsearchBombs.es.test.ts`. */
export const SEARCH_BOMBS: Readonly<Record<string, SearchBomb>> = {
  'bool 1,000 deep': { body: { query: nested(1_000, (inner) => ({ bool: { must: [inner] } }), { match_all: {} }) }, isRefused: true },
  'terms of 100,000 values': { body: { query: { terms: { tag: times(100_000, String) } } }, isRefused: true },
  'terms of 65,000 values': { body: { query: { terms: { tag: times(65_000, String) } } } },
  'bool of 10,000 clauses': { body: should(10_000, (n) => ({ term: { n } })), isRefused: true },
  'bool of 1,000 clauses': { body: should(1_000, (n) => ({ range: { n: { gte: n } } })) },
  'a negation in 25': { body: { query: nested(25, (inner) => ({ bool: { must_not: [inner] } }), { match_all: {} }) } },
  'buckets in buckets': { body: inOne(terms('n', 10_000, terms('n', 10_000))) },
  'buckets in buckets in buckets': { body: inOne(terms('tag', 10_000, terms('n', 10_000, terms('tag', 10_000)))) },
  'tags on four levels': { body: inOne(TAGS(4)) },
  'tags on eight levels': { body: inOne(TAGS(8)), isRefused: true },
  'aggregations 100 deep': { body: inOne(TAGS(100)), isRefused: true },
  '1,025 aggregations': { body: { size: 0, aggs: Object.fromEntries(times(1_025, (n) => [`a${n}`, terms('tag', 10)])) }, isRefused: true },
  '300 aggregations': { body: { size: 0, aggs: Object.fromEntries(times(300, (n) => [`a${n}`, terms('tag', 10)])) } },
  'combinations of five tags': { body: inOne({ composite: { size: 10, sources: SOURCES(5) } }) },
  'ranges in overlapping ranges': { body: inOne({ ...RANGES, aggs: { a: RANGES } }) },
  'milliseconds, gaps filled': { body: inOne({ date_histogram: { ...DAYS.date_histogram, min_doc_count: 0 } }), isRefused: true },
  'milliseconds in tags': { body: inOne(terms('tags', 500, DAYS)) },
  'histogram with an interval of 1e-9': { body: inOne({ histogram: { field: 'n', interval: 1e-9 } }), isRefused: true },
  'cells of millimetres in such cells': { body: inOne({ geohash_grid: { field: 'place', precision: 12, size: 65_536 }, aggs: { a: { geohash_grid: { field: 'place', precision: 12, size: 65_536 } } } }) },
  'exact cardinalities in buckets': { body: inOne(terms('n', 10_000, { cardinality: { field: 'tag', precision_threshold: 40_000 } })) },
  'hits in buckets': { body: inOne(terms('n', 10_000, { top_hits: { size: 100 } })) },
  '300 patterns as filters': { body: inOne({ filters: { filters: times(300, (n) => ({ wildcard: { tag: `*${letter(n)}*${n}*` } })) } }) },
  'a regular expression that backtracks': { body: { query: { regexp: { tag: '(a+)+(a+)+(a+)+b' } } } },
  'a regular expression of stars': { body: { query: { regexp: { tag: '.*.*.*.*.*.*.*.*x' } } } },
  'a regular expression of 250,000 states': { body: { query: { regexp: { tag: '(.{1,500}){1,500}' } } }, isRefused: true },
  'an exponential automaton': { body: { query: { regexp: { tag: '(a|b)*a(a|b){25}' } } }, isRefused: true },
  'complements of complements': { body: { query: { regexp: { tag: times(40, (n) => `~(.*${letter(n)}.{5})`).join('&') } } }, isRefused: true },
  '500 regular expressions': { body: should(500, (n) => ({ regexp: { tag: `.*${letter(n)}.*[a-m]{3}.*` } })) },
  'wildcard *a*a*a*a*': { body: { query: { wildcard: { tag: '*a*a*a*a*a*a*a*a*' } } } },
  'wildcard of 10,000 stars': { body: { query: { wildcard: { tag: '*a'.repeat(10_000) } } }, isRefused: true },
  '1,000 wildcards': { body: should(1_000, (n) => ({ wildcard: { tag: `*${letter(n)}*${letter(n * 7)}*` } })) },
  '1,000 prefixes of one letter': { body: should(1_000, (n) => ({ prefix: { tag: letter(n) } })) },
  '900 similar words': { body: { query: { match: { text: { query: words(900), fuzziness: 2 } } } } },
  '300 similar words in text': { body: { query: { query_string: { query: times(300, (n) => `word${n}~2`).join(' '), fields: ['text', 'title'] } } } },
  'similar to a word of 20,000 letters': { body: { query: { fuzzy: { tag: { value: 'abcdefghij'.repeat(2_000), fuzziness: 2 } } } }, isRefused: true },
  'query_string of 20,000 words': { body: { query: { query_string: { query: words(20_000) } } }, isRefused: true },
  'match of 50,000 words': { body: { query: { match: { text: words(50_000) } } }, isRefused: true },
  'a loose phrase of one word': { body: { query: { match_phrase: { text: { query: 'a '.repeat(1_000), slop: 1_000_000 } } } }, isRefused: true },
  'a loose phrase of 500 words': { body: { query: { match_phrase: { text: { query: words(500), slop: 1_000_000 } } } } },
  'a phrase with all endings': { body: { query: { match_phrase_prefix: { text: { query: 'a a', max_expansions: 1_000_000 } } } } },
  'from 2,000,000,000': { body: { from: 2_000_000_000 }, isRefused: true },
  'a polygon of 50,000 points': { body: { query: { geo_polygon: { place: { points: [...POINTS, ...POINTS, ...POINTS] } } } }, isRefused: true },
  'distances from 1,000 points': { body: { sort: [{ _geo_distance: { place: POINTS.slice(0, 1_000) } }] } },
  '1,000 circles': { body: should(1_000, (n) => ({ geo_distance: { distance: '9000km', place: POINTS[n] ?? '0,0' } })) },
  '500 decays': { body: { query: { function_score: { functions: times(500, (origin) => ({ gauss: { n: { origin, scale: 9 } } })) } } } },
  'marks of patterns in long strings': { body: { ...should(60, (n) => ({ wildcard: { text: `*${letter(n)}${letter(n * 3)}*` } })), size: 500, highlight: { fields: { text: {} } } } },
  'objects of 10,000 hits': { body: { size: 10_000, query: { nested: { ...INNER, inner_hits: { size: 100 } } } } },
}; // prettier-ignore
