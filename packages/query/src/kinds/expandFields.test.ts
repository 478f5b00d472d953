import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '@millrace/language';
import { QueryError } from '../errors.js';
import { compileMapping } from '../mapping/compileMapping.js';
import { parseMapping } from '../mapping/parseMapping.js';
import { parseQuery } from '../request/parseSearch.js';
import type { MultiMatchQuery, Query } from '../tree/Query.js';
import { bindPart, bindQuery } from './bindQuery.js';
import { QueryBinder } from './QueryBinder.js';
import type { CompiledMapping } from '../mapping/CompiledMapping.js';
import { expandFields as expandIn } from './expandFields.js';

const compiled = compileMapping(
  parseMapping({
    properties: {
      name: { type: 'text', fields: { raw: { type: 'keyword' } } },
      note: { type: 'text', analyzer: 'english' },
      qty: { type: 'integer' },
      loc: { type: 'geo_point' },
      items: { type: 'nested', properties: { sku: { type: 'keyword' } } },
    },
  }),
);

/** The expansion of a query, whose parts are not yet bound. */
function expandFields(query: Query, mapping: CompiledMapping): Query {
  const cost = { path: query.path, lookups: 0, innerPassages: 0 };
  const state = { nestedPath: undefined, startPath: undefined, cost, hitFactor: 1 };
  const binding = { compiled: mapping, nowMs: 0, costs: [cost] };
  const binder = new QueryBinder(binding, { ...state, expanded: { clauseCount: 0 } });
  return expandIn(query as MultiMatchQuery, binder);
}

/** A short notation of the tree, for readable comparisons. */
function sketch(query: Query): string {
  const boost = query.boost === 1 ? '' : `^${query.boost}`;
  switch (query.kind) {
    case 'bool': {
      const list = (mark: string, clauses: readonly Query[]) => clauses.map((clause) => `${mark}${sketch(clause)}`);
      return `(${[...list('+', query.must), ...list('#', query.filter), ...list('', query.should), ...list('-', query.mustNot)].join(' ')})${boost}`;
    }
    case 'dis_max':
      return `(${query.queries.map(sketch).join(' | ')})${boost}`;
    case 'match':
      return `${query.field}:${String(query.query)}${query.operator === 'and' ? '&' : ''}${boost}`;
    case 'match_phrase':
      return `${query.field}:"${String(query.query)}"~${query.slop}${boost}`;
    case 'fuzzy':
      return `${query.field}:${String(query.value)}~${query.fuzziness.kind === 'edits' ? query.fuzziness.edits : 'A'}${boost}`;
    case 'prefix':
      return `${query.field}:${query.value}*${boost}`;
    case 'wildcard':
    case 'regexp':
      return `${query.field}:${query.kind === 'regexp' ? `/${query.value}/` : query.value}${boost}`;
    case 'range': {
      const { lower, upper } = query;
      return `${query.field}:${lower?.inclusive === false ? '{' : '['}${String(lower?.value ?? '*')} ${String(upper?.value ?? '*')}${upper?.inclusive === false ? '}' : ']'}${boost}`;
    }
    case 'exists':
      return `?${query.field}`;
    case 'match_all':
      return '*';
    case 'match_none':
      return 'none';
    default:
      return query.kind;
  }
}

const sketched = (query: Query) => sketch(expandFields(query, compiled));
const lucene = (query: string, options = {}) =>
  sketched(
    parseQuery({
      query_string: {
        query,
        ...('fields' in options ? {} : { default_field: 'name' }),
        ...options,
      },
    }),
  );
const simple = (query: string, options = {}) =>
  sketched(parseQuery({ simple_query_string: { query, fields: ['name'], ...options } }));

describe('query_string', () => {
  it.each([
    ['quick brown', 'name:quick brown'],
    ['quick AND brown', '(+name:quick +name:brown)'],
    ['quick brown AND fox', '(+name:brown +name:fox name:quick)'],
    ['a OR b AND c', '(+name:b +name:c name:a)'],
    ['a && !b || c', '(+name:a name:c -name:b)'],
    ['+a -b', '(+name:a -name:b)'],
    ['NOT a', '(#* -name:a)'],
    ['note:(x AND NOT b)', '(+note:x -note:b)'],
    ['name:(a OR b c d)', '(name:a name:b name:c d)'],
    ['+a', 'name:a'],
    ['a OR +b', '(+name:b name:a)'],
    ['(a OR b)^2 c', '((name:a name:b)^2 name:c)'],
    ['"quick fox"~2', 'name:"quick fox"~2'],
    ['aple~ b~1', '(name:aple~A name:b~1)'],
    ['a* (x)^2 "quick fox"~2^3', '(name:a* name:x^2 name:"quick fox"~2^3)'],
    ['[a TO ""]', 'name:[a ]'],
    ['["a b" TO "c\\"d"}', 'name:[a b c"d}'],
    ['Rab* *x?', '(name:rab* name:*x?)'],
    ['name.raw:Rab*', 'name.raw:Rab*'],
    ['/d.*/', 'name:/d.*/'],
    ['qty:{2 TO 5] qty:>=7 qty:<1', '(qty:{2 5] qty:[7 *] qty:[* 1})'],
    ['qty:[* TO 5]', 'qty:[* 5]'],
    ['[* TO *] qty:[* TO *]', '(?name ?qty)'],
    ['_exists_:qty', '?qty'],
    ['qty:*', '?qty'],
    ['*:*', '*'],
    ['*', '?name'],
    ['a OR *^2', '(name:a ?name)'],
    ['a\\:b \\(c\\)', 'name:a:b (c)'],
    ['na\\*:x', '(name:x | name.raw:x)'],
    ['_exists_:(qty OR name)', '(?qty ?name)'],
    ['a ORb', 'name:a ORb'],
    ['foo-bar', 'name:foo-bar'],
    ['', 'none'],
  ])('reads %s', (text, expected) => {
    expect(lucene(text)).toBe(expected);
  });

  it('compares only with the values of a field that is named', () => {
    expect(lucene('qty:<5 >=5 b')).toBe('(qty:[* 5} name:>=5 b)');
  });

  it('puts minimum_should_match to the words of one field alone', () => {
    const minimum = (fields: string[]) =>
      JSON.stringify(
        expandFields(parseQuery({ query_string: { query: 'a b', fields, minimum_should_match: 2 } }), compiled),
      ).includes('minimumShouldMatch');
    expect([['name'], ['name^2'], ['name', 'note']].map(minimum)).toEqual([true, true, false]);
  });

  it('asks all fields at once by cross_fields', () => {
    const query = { query: 'a b', fields: ['name', 'note'], type: 'cross_fields' };
    expect(expandFields(parseQuery({ query_string: query }), compiled)).toMatchObject({
      kind: 'cross_fields',
      query: 'a b',
      fields: [{ field: 'name' }, { field: 'note' }],
    });
  });

  it('joins by AND where that is the default operator', () => {
    expect(lucene('quick brown', { default_operator: 'and' })).toBe('name:quick brown&');
    expect(lucene('a b:c OR d', { default_operator: 'and' })).toBe('(+name:a& b:c& name:d&)');
  });

  it('asks all searchable fields of the documents when none is named', () => {
    const all = parseQuery({ query_string: { query: 'x' } });
    expect(sketched(all)).toBe('(name:x | name.raw:x | note:x | qty:x)');
    expect(expandFields(all, compiled)).toMatchObject({
      queries: [{ lenient: true }, {}, {}, {}],
    });
  });

  it.each([
    'name:(apple AND',
    '"open',
    '(a',
    'a)',
    '()',
    'a ( )',
    'name:()',
    'a AND NOT ()',
    'a AND',
    'name:(a OR)',
    'a OR) b',
    'na*:x',
    'n?me:x',
    'AND a',
    'a AND NOT NOT b',
    'OR',
    '[1 TO',
    '[1 2]',
    '/open',
    'a^',
    'a ~1',
    'a b ^2',
    '["a"b TO *]',
    'a\\',
    'name:',
    '^2 a',
    'name:(a ())',
    'a~3',
    'a~0.5',
  ])('refuses the syntax fault %j', (text) => {
    expect(() => lucene(text)).toThrow(QueryError);
  });

  it('refuses leading wildcards on demand', () => {
    const options = { allow_leading_wildcard: false };
    expect(() => lucene('*x', options)).toThrow(/wildcard/);
    expect(() => lucene('*', options)).not.toThrow();
  });
});

describe('a sign or an operator in query_string', () => {
  const read = (text: string) => sketched(parseQuery({ query_string: { query: text, default_field: 'name' } }));

  it('means nothing before a blank', () => {
    expect(read('mill + lane')).toBe('(name:mill name:lane)');
    expect(read('mill - lane')).toBe('(name:mill name:lane)');
    expect(read('! name:mill')).toBe('name:mill');
    expect(read('mill -lane')).toBe('(name:mill -name:lane)');
    expect(read('mill - ')).toBe('name:mill');
    expect(() => read('mill -')).toThrow(QueryError);
  });

  it('ends where no letter of a word follows', () => {
    expect(read('NOT"mill"')).toBe('(#* -name:"mill"~0)');
    expect(read('mill AND(lane)')).toBe('(+name:mill +name:lane)');
    expect(read('mill OR[a TO b]')).toBe('(name:mill name:[a b])');
    expect(read('AND+mill')).toBe('name:AND+mill');
    expect(read('&&mill ||lane')).toBe('name:&&mill ||lane');
  });

  it('names a field without wildcards, but all of them', () => {
    expect(() => read('na*:mill')).toThrow(QueryError);
    expect(read('na\\*:mill')).toBe('(name:mill | name.raw:mill)');
    expect(read('*:*')).toBe('*');
  });
});

describe('a word of which the analyzer of a field leaves nothing', () => {
  const note = { default_field: 'note' };
  const both = { fields: ['name', 'note'], default_field: undefined };

  it.each([
    ['the', note, 'none'],
    ['NOT the', note, 'none'],
    ['+the mill', note, '(note:mill)'],
    ['the AND mill', note, '(+note:mill)'],
    ['+(the "of") -the mill', note, '(note:mill)'],
    ['+the +mill', both, '(+name:the +(name:mill | note:mill))'],
    ['+the +mill', { ...both, analyzer: 'english' }, '(+(name:mill | note:mill))'],
  ])('is no condition in %j with %j', (query, options, expected) => {
    expect(lucene(query, options)).toBe(expected);
  });

  it('is no condition in the simple syntax either', () => {
    expect(simple('"of the" + (the) + mill', { fields: ['note'] })).toBe('(+note:mill)');
    expect(simple('-the', { fields: ['note'] })).toBe('none');
  });

  it('is no clause for minimum_should_match', () => {
    const minimum = (query: string) =>
      expandFields(parseQuery({ query_string: { query, ...note, minimum_should_match: '100%' } }), compiled);
    expect(minimum('x OR the OR y')).toMatchObject({ kind: 'bool', minimumShouldMatch: 2 });
    expect(minimum('+x y')).toMatchObject({ kind: 'bool', must: [{}], minimumShouldMatch: 1 });
  });
});

describe('patterns, ranges and similar words', () => {
  const on = (field: string, query: string, options: JsonObject = {}) =>
    expandFields(parseQuery({ query_string: { query, default_field: field, ...options } }), compiled);

  it('are written in the letters of the terms, and regular expressions as they are', () => {
    expect(on('name', 'Ba*')).toMatchObject({ kind: 'prefix', value: 'ba' });
    expect(on('name', 'B?r')).toMatchObject({ kind: 'wildcard', value: 'b?r' });
    expect(on('name', 'Bra~1')).toMatchObject({ kind: 'fuzzy', value: 'bra' });
    expect(on('name', '/Ba.*/')).toMatchObject({ kind: 'regexp', value: 'Ba.*' });
    expect(on('name.raw', 'Ba*')).toMatchObject({ kind: 'prefix', value: 'Ba' });
    expect(on('nowhere', 'Ba*')).toMatchObject({ kind: 'match_none' });
  });

  it('take the words of a prefix under analyze_wildcard', () => {
    const options = { analyze_wildcard: true, default_operator: 'and' };
    const words = { kind: 'match_bool_prefix', query: 'Foo-Ba', operator: 'and' };
    expect(on('name', 'Foo-Ba*', options)).toMatchObject(words);
    expect(on('name.raw', 'Foo-Ba*', options)).toMatchObject({ kind: 'prefix', value: 'Foo-Ba' });
  });

  it('are forgiven where the query is lenient', () => {
    const lenient = { lenient: true };
    const bound = (text: string, options: JsonObject) =>
      bindQuery(parseQuery({ query_string: { query: text, default_field: 'qty', ...options } }), compiled).query;
    for (const text of ['a*', 'a~', '[a TO b]']) expect(bound(text, lenient)).toMatchObject({ kind: 'match_none' });
    expect(on('qty', '[1 TO 2]', lenient)).toMatchObject({ kind: 'range' });
    expect(on('qty', 'a*')).toMatchObject({ kind: 'prefix' });
  });
});

describe('simple_query_string', () => {
  it.each([
    ['"green apple" | banana', '(name:"green apple"~0 name:banana)'],
    ['a + b', '(+name:a +name:b)'],
    ['a -b', '(name:a (#* -name:b))'],
    ['a - b', '(name:a name:b)'],
    ['-a + " + (b | c)', '(+(#* -name:a) +(name:b name:c))'],
    ['("a ) b" c)', '(name:"a ) b"~0 name:c)'],
    ['(a (b', '(name:a name:b)'],
    ['a + () b', '(+name:a +name:b)'],
    ['(a | b) + c', '(+(name:a name:b) +name:c)'],
    ['ap* x~1 "a b"~3', '(name:ap* name:x~1 name:"a b"~3)'],
    ['"banana (', 'name:banana'],
    [')a', 'name:a'],
    ['a\\+b', 'name:a+b'],
    ['+ | -', 'none'],
  ])('reads %s', (text, expected) => {
    expect(simple(text)).toBe(expected);
  });

  it('reads operators as text where flags switch them off', () => {
    expect(simple('a|b', { flags: 'NONE' })).toBe('name:a|b');
    expect(simple('-a', { flags: 'OR|AND' })).toBe('name:-a');
    expect(simple(' * ', { flags: 'NONE' })).toBe('*');
  });

  it('takes a number of edits after a tilde, 2 by default', () => {
    expect(simple('mil~ mil~7 mil~1 mil~0')).toBe('(name:mil~2 name:mil~2 name:mil~1 name:mil)');
    expect(simple('\\~mil ~ "c d"~ "e f"~2')).toBe('(name:~mil name:"c d"~0 name:"e f"~2)');
  });

  it('takes the last boost that is given of a field named twice', () => {
    expect(simple('a', { fields: ['name^2', 'name'] })).toBe('name:a^2');
    expect(simple('a', { fields: ['name^2', 'name^3'] })).toBe('name:a^3');
  });
});

describe('multi_match', () => {
  it('becomes one query per field', () => {
    expect(sketched(parseQuery({ multi_match: { query: 'run', fields: ['name', 'note^3'] } }))).toBe(
      '(name:run | note:run^3)',
    );
    expect(sketched(parseQuery({ multi_match: { query: 'a b', fields: ['na*'], type: 'phrase' } }))).toBe(
      '(name:"a b"~0 | name.raw:"a b"~0)',
    );
    expect(sketched(parseQuery({ multi_match: { query: 'x', fields: ['zz*'] } }))).toBe('none');
  });

  it('keeps cross_fields as one query over its fields', () => {
    const query = expandFields(
      parseQuery({
        multi_match: {
          query: 'a b',
          fields: ['name', 'note^2'],
          type: 'cross_fields',
          operator: 'and',
        },
      }),
      compiled,
    );
    expect(query).toMatchObject({
      kind: 'cross_fields',
      fields: [
        { field: 'name', boost: 1 },
        { field: 'note', boost: 2 },
      ],
      operator: 'and',
      tieBreaker: 0,
    });
  });

  it('is replaced at any depth', () => {
    const inner = { multi_match: { query: 'x', fields: ['*'] } };
    const { query } = bindQuery(
      parseQuery({
        bool: {
          filter: [{ nested: { path: 'items', query: inner } }],
          must_not: { function_score: { query: inner } },
        },
      }),
      compiled,
    );
    expect(JSON.stringify(query)).not.toContain('multi_match":');
    expect(JSON.stringify(query)).not.toContain('"kind":"multi_match"');
    expect(JSON.stringify(query)).toContain('items.sku');
  });

  it('refuses to expand to more than 1,024 clauses', () => {
    const properties: JsonObject = Object.fromEntries(
      Array.from({ length: 900 }, (_, n) => [`f${n}`, { type: 'keyword' }]),
    );
    const many = compileMapping(parseMapping({ properties }));
    const query = parseQuery({
      bool: { should: [{ multi_match: { query: 'a' } }, { multi_match: { query: 'b' } }] },
    });
    expect(() => bindQuery(query, many)).toThrow(/1024/);
    const nested = compileMapping(parseMapping({ properties: { inside: { type: 'nested', properties } } }));
    expect(bindQuery(query, nested).query.kind).toBe('bool');
    expect(() => bindInside(query, nested, 'inside')).toThrow(/1024/);
  });
});

function bindInside(query: Query, mapping: CompiledMapping, nestedPath: string) {
  return bindPart(query, { compiled: mapping, nowMs: 0, costs: [] }, nestedPath);
}

describe('nested within nested', () => {
  const nested = (path: string, query: JsonValue, options = {}) => ({
    nested: { path, query, ...options },
  });
  const inner = { term: { 'items.n': 1 } };
  const mapping = compileMapping(
    parseMapping({
      properties: {
        items: {
          type: 'nested',
          properties: {
            n: { type: 'integer' },
            parts: { type: 'nested', properties: { n: { type: 'integer' } } },
          },
        },
        item: { type: 'nested', properties: { n: { type: 'integer' } } },
      },
    }),
  );
  const expand = (query: JsonValue) => bindQuery(parseQuery(query), mapping).query;

  it('takes the same path once more for the same object', () => {
    const once = expand(nested('items', inner));
    const twice = expand(nested('items', nested('items', inner)));
    expect(twice).toMatchObject({ kind: 'nested', query: { kind: 'term' } });
    expect(once).toMatchObject({ kind: 'nested', query: { kind: 'term' } });
    const options = { boost: 2, score_mode: 'max' };
    expect(expand(nested('items', nested('items', inner, options)))).toMatchObject({
      query: { kind: 'bool', must: [{ kind: 'term' }], filter: [], boost: 2 },
    });
    expect(expand(nested('items', nested('items', inner, { score_mode: 'none' })))).toMatchObject({
      query: { kind: 'bool', must: [], filter: [{ kind: 'term' }] },
    });
  });

  it('finds no object around or next to it, and those inside', () => {
    const [outward, inward] = [
      ['items.parts', 'items'],
      ['items', 'items.parts'],
    ].map(([from = '', to = '']) => expand(nested(from, nested(to, inner))));
    expect(outward).toMatchObject({ query: { kind: 'match_none' } });
    expect(inward).toMatchObject({ query: { kind: 'nested', nestedPath: 'items.parts' } });
    expect(expand(nested('items', nested('item', inner)))).toMatchObject({
      query: { kind: 'match_none' },
    });
  });

  it('refuses inner_hits of the same path once more', () => {
    const query = nested('items', nested('items', inner, { inner_hits: {} }));
    expect(() => expand(query)).toThrow(/inner_hits at query\.nested\.query\.nested/);
    // A filter within an aggregation of these objects has no inner hits.
    const filter = parseQuery(nested('items', inner, { inner_hits: {} }));
    expect(bindInside(filter, mapping, 'items')).toMatchObject({ kind: 'term' });
  });
});
