import { describe, expect, it } from 'vitest';
import { checkAgainstMapping } from '../coerce/checkAgainstMapping.js';
import { QueryError } from '../errors.js';
import { compileMapping } from '../mapping/compileMapping.js';
import { parseMapping } from '../mapping/parseMapping.js';
import { parseSearch } from '../parse/parseSearch.js';
import type { JsonObject } from '../tree/Json.js';
import { expandFields } from './expandFields.js';

const compiled = compileMapping(
  parseMapping({
    properties: {
      name: { type: 'text' },
      code: { type: 'keyword' },
      tag: { type: 'keyword', normalizer: 'lowercase' },
      flag: { type: 'boolean' },
      count: { type: 'integer' },
      place: { type: 'geo_point' },
      content: { type: 'binary' },
    },
  }),
);

/** The expanded query; refused where the mapping refuses it. */
function written(query: JsonObject): unknown {
  const request = parseSearch({ query });
  checkAgainstMapping(request, compiled, 0);
  return expandFields(request.query, compiled);
}
const full = (text: string, field: string, options: JsonObject = {}) =>
  written({ query_string: { query: text, default_field: field, ...options } });
const simple = (text: string, field: string, options: JsonObject = {}) =>
  written({ simple_query_string: { query: text, fields: [field], ...options } });

describe('a regular expression in query_string', () => {
  it('is put to the terms of any field under an analyzer, as that leaves it', () => {
    const analyzer = 'whitespace';
    expect(full('/T/', 'flag', { analyzer })).toMatchObject({ kind: 'terms', values: [true] });
    expect(full('/[TF]/', 'flag', { analyzer })).toMatchObject({ values: [true, false] });
    expect(full('/T/', 'flag', { analyzer: 'standard' })).toMatchObject({ kind: 'match_none' });
    expect(full('/.*/', 'count', { analyzer })).toMatchObject({ kind: 'match_none' });
    expect(full('/M.*/', 'name', { analyzer: 'standard' })).toMatchObject({ value: 'm.*' });
    expect(full('/M.*/', 'name')).toMatchObject({ value: 'M.*' });
    expect(() => full('/T/', 'flag')).toThrow(QueryError);
  });

  it('is forgiven its faults where the query is lenient, and where nothing is mapped', () => {
    expect(full('/[/', 'name', { lenient: true })).toMatchObject({ kind: 'match_none' });
    expect(full('/[/', 'nowhere')).toMatchObject({ kind: 'match_none' });
    expect(() => full('/[/', 'name')).toThrow(QueryError);
  });
});

describe('analyze_wildcard', () => {
  const options = { analyze_wildcard: true };

  it('looks for the words of a prefix, the last one as a prefix', () => {
    expect(full('Foo\\-Ba*', 'name', options)).toMatchObject({
      kind: 'bool',
      should: [
        { kind: 'term', value: 'foo' },
        { kind: 'prefix', value: 'ba' },
      ],
      minimumShouldMatch: 1,
    });
    expect(full('Foo\\-Ba*', 'name', { ...options, default_operator: 'and' })).toMatchObject({
      must: [{ kind: 'term' }, { kind: 'prefix' }],
      minimumShouldMatch: 0,
    });
    expect(full('Foo\\-Ba*', 'code', options)).toMatchObject({ kind: 'prefix', value: 'Foo-Ba' });
  });

  it('drops a prefix of which nothing is left from the full syntax alone', () => {
    expect(full('mill AND \\-*', 'name', options)).toMatchObject({ kind: 'match', query: 'mill' });
    expect(simple('mill + \\-*', 'name', options)).toMatchObject({ kind: 'bool' });
  });

  it('puts wildcards under an analyzer to the terms, and all prefixes of the simple syntax', () => {
    const raw = { ...options, analyzer: 'keyword' };
    expect(full('?', 'flag', raw)).toMatchObject({ kind: 'terms', values: [true, false] });
    expect(full('*\\F', 'flag', raw)).toMatchObject({ kind: 'terms', values: [false] });
    expect(full('??', 'flag', raw)).toMatchObject({ kind: 'match_none' });
    expect(simple('T*', 'flag', options)).toMatchObject({ kind: 'terms', values: [true] });
    expect(simple('1*', 'count', options)).toMatchObject({ kind: 'match_none' });
    expect(full('M?ll', 'tag', raw)).toMatchObject({ kind: 'match_none' });
    expect(full('m?ll', 'tag', raw)).toMatchObject({ kind: 'wildcard' });
    expect(simple('M*', 'tag', options)).toMatchObject({ kind: 'prefix', value: 'm' });
    expect(() => simple('T*', 'place', options)).toThrow(QueryError);
    expect(() => simple('T*', 'flag')).toThrow(QueryError);
    expect(() => full('?', 'flag', options)).toThrow(QueryError);
    expect(() => simple('a-b*', 'count', { ...options, analyzer: 'standard' })).toThrow(QueryError);
  });

  it('refuses a prefix of too many words', () => {
    const words = Array.from({ length: 1025 }, () => 'a').join('\\ ');
    expect(() => full(`${words}*`, 'name', options)).toThrow(/more than 1024 words/);
  });
});

describe('fields that are no texts', () => {
  it.each(['place', 'content'])('are not found by the full syntax: %s', (field) => {
    for (const text of ['a*', 'a~', '[a TO b]', '[* TO *]'])
      expect(full(text, field)).toMatchObject({ kind: 'match_none' });
    expect(() => full('a?', field)).toThrow(QueryError);
    expect(() => simple('a*', field)).toThrow(QueryError);
  });
});
