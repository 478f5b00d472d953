import type { JsonObject, JsonValue } from '@millrace/language';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bindSearch } from './request/bindSearch.js';
import { deriveDynamicFields } from './document/deriveDynamicFields.js';
import { NULL_SINK } from './document/NULL_SINK.js';
import { parseDocument } from './document/parseDocument.js';
import { DocumentError, MappingError, QueryError } from './errors.js';
import { compileMapping } from './mapping/compileMapping.js';
import { mergeMapping } from './mapping/mergeMapping.js';
import { LEAF_TYPES } from './mapping/Mapping.js';
import { parseMapping } from './mapping/parseMapping.js';
import { toMappingBody } from './mapping/toMappingBody.js';
import { QUERY_PARSERS } from './kinds/QUERY_PARSERS.js';
import { parseSearch } from './request/parseSearch.js';

const SEED = 20_240_501;

const FIELDS = {
  t: { type: 'text', fields: { k: { type: 'keyword' } } },
  n: { type: 'integer' },
  d: { type: 'date' },
  i: { type: 'ip' },
  b: { type: 'boolean' },
  g: { type: 'geo_point' },
  s: { type: 'geo_shape' },
  o: { type: 'nested', properties: { k: { type: 'keyword' } } },
};
const compiled = compileMapping(parseMapping({ properties: FIELDS }));

const word = fc.constantFrom(
  ...QUERY_PARSERS.keys(),
  ...Object.keys(FIELDS),
  ...LEAF_TYPES,
  'query',
  'filter',
  'must',
  'should',
  'value',
  'values',
  'field',
  'fields',
  'path',
  'aggs',
  'sort',
  'size',
  'order',
  'interval',
  'gte',
  'lt',
  'distance',
  'points',
  'shape',
  'functions',
  'gauss',
  'weight',
  'properties',
  'type',
  'dynamic',
  'format',
  'copy_to',
  'boost',
  '__proto__',
  'constructor',
  'toString',
  'valueOf',
  'offset',
  'fuzziness',
  'date_histogram',
  'terms',
  'missing',
  'include',
  'o.k',
  't.k',
  'a.b',
  '',
  '.',
  '_id',
  '_score',
  '*',
);
const text = fc.oneof(
  word,
  fc.string({ maxLength: 20 }),
  fc.constantFrom(
    'now-1d/d',
    '2024-01-01',
    '75%',
    '3<90%',
    '1km',
    'POINT (1 2)',
    'POLYGON ((',
    '1,2',
    'a AND (b OR',
    '"a',
    'n:[1 TO 2}',
    '/x',
    '10.0.0.0/8',
    '::1',
    'yyyy-MM-dd',
    '1d',
    'AUTO',
  ),
);
const json = fc.letrec<{ value: unknown; object: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    text,
    fc.integer({ min: -5, max: 20_000 }),
    fc.double(),
    fc.constantFrom(null, true, false),
    fc.array(tie('value'), { maxLength: 4 }),
    tie('object'),
  ),
  object: fc
    .array(fc.tuple(fc.oneof({ weight: 5, arbitrary: word }, { weight: 1, arbitrary: text }), tie('value')), {
      maxLength: 4,
    })
    .map((entries): unknown => Object.fromEntries(entries)),
}));
const toJson = (value: unknown): JsonValue => JSON.parse(JSON.stringify(value) ?? 'null') as JsonValue;

/** Runs a function; fails on errors of other classes than the package's, and on slow runs. */
function survive(run: () => void): void {
  try {
    run();
  } catch (error) {
    const isOwn = error instanceof QueryError || error instanceof MappingError || error instanceof DocumentError;
    if (!isOwn) throw error;
    expect(error.message.length).toBeLessThan(20_000);
  }
}

describe('random bodies', () => {
  it('give a request or an error of the package, quickly', () => {
    fc.assert(
      fc.property(json.object, word, json.value, (object, name, value) => {
        for (const body of [
          object,
          { query: { [name]: value } },
          { query: { [name]: { t: value } } },
          { aggs: { x: { [name]: value } } },
          { sort: value },
        ]) {
          survive(() => {
            const request = parseSearch(toJson(body));
            bindSearch(request, compiled);
          });
        }
      }),
      { seed: SEED, numRuns: 2000 },
    );
  });

  it('give a query from any text of a query_string or simple_query_string', () => {
    const syntax = fc.array(
      fc.constantFrom(
        'a',
        'b',
        ' ',
        'AND',
        'OR',
        'NOT',
        '+',
        '-',
        '(',
        ')',
        '"',
        '~',
        '^',
        '2',
        ':',
        '[',
        ']',
        '{',
        '}',
        'TO',
        '*',
        '?',
        '/',
        '\\',
        '|',
        '>',
        '=',
        '_exists_',
        'n',
      ),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(syntax, (parts) => {
        const query = parts.join('');
        survive(() => void bindSearch(parseSearch({ query: { query_string: { query } } }), compiled));
        bindSearch(parseSearch({ query: { simple_query_string: { query, fields: ['t'] } } }), compiled);
      }),
      { seed: SEED, numRuns: 5000 },
    );
  });

  it('give a mapping or a MappingError, and what is shown reads back', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(word, fc.oneof(json.object, fc.record({ type: fc.constantFrom(...LEAF_TYPES) })))),
        json.object,
        (fields, more) => {
          survive(() => {
            const mapping = parseMapping(toJson({ properties: Object.fromEntries(fields) }));
            const shown = JSON.stringify(toMappingBody(mapping));
            expect(JSON.stringify(toMappingBody(parseMapping(JSON.parse(shown) as JsonValue)))).toBe(shown);
            compileMapping(mergeMapping(compiled.mapping, mapping), compiled);
          });
          survive(() => void parseMapping(toJson(more)));
        },
      ),
      { seed: SEED, numRuns: 2000 },
    );
  });

  it('give indexed documents after derivation, or a DocumentError or MappingError', () => {
    fc.assert(
      fc.property(json.object, (object) => {
        survive(() => {
          const source = toJson(object) as JsonObject;
          if (!parseDocument(compiled, source, NULL_SINK)) return;
          const additions = deriveDynamicFields(compiled, source);
          expect(additions).toBeDefined();
          if (additions === undefined) return;
          const next = compileMapping(mergeMapping(compiled.mapping, additions), compiled);
          expect(parseDocument(next, source, NULL_SINK)).toBe(false);
        });
      }),
      { seed: SEED, numRuns: 5000 },
    );
  });

  it('take no time to speak of where a careless reader would hang', () => {
    const long = 'a'.repeat(100_000);
    const deep = JSON.parse(`${'['.repeat(5000)}1${']'.repeat(5000)}`) as JsonValue;
    for (const body of [
      { query: { query_string: { query: '('.repeat(30_000) } } },
      { query: { query_string: { query: 'a '.repeat(16_000) } } },
      { query: { query_string: { query: 'a:'.repeat(16_000) } } },
      { query: { query_string: { query: '-'.repeat(32_000) } } },
      { query: { simple_query_string: { query: '(a|b+'.repeat(6000) } } },
      { query: { simple_query_string: { query: '"'.repeat(32_000) } } },
      { query: { geo_shape: { s: { shape: `POLYGON ${'('.repeat(100_000)}` } } } },
      { query: { geo_shape: { s: { shape: `${'GEOMETRYCOLLECTION ('.repeat(10_000)}` } } } },
      { query: { range: { d: { gte: `2024-01-01||${'+1d'.repeat(30_000)}` } } } },
      { query: { range: { d: { gte: long } } } },
      { query: { range: { d: { gte: 1, format: `${'[yyyy'.repeat(20)}` } } } },
      { query: { match: { t: { query: 'x', minimum_should_match: '1<'.repeat(50_000) } } } },
      { query: { term: { n: `${'1'.repeat(100_000)}x` } } },
      { query: { term: { i: `${'1:'.repeat(50_000)}` } } },
      { query: deep },
      { sort: deep },
    ] as JsonValue[]) {
      survive(() => {
        const request = parseSearch(body);
        bindSearch(request, compiled);
      });
    }
  });
});
