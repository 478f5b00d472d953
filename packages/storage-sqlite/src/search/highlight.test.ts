import type { JsonObject, JsonValue } from '@millrace/kernel';
import { afterAll, describe, expect, it } from 'vitest';
import { TestCollection } from './TestCollection.test.support.js';

const long = `${'Nothing to see in this one. '.repeat(5)}Here a fox ran by. ${'And nothing more. '.repeat(9)}The fox and the other fox came back.`;

describe('highlight (query-language.md section 1)', () => {
  const things = new TestCollection({
    properties: {
      t: {
        type: 'text',
        fields: { raw: { type: 'keyword' }, en: { type: 'text', analyzer: 'english' } },
      },
      k: { type: 'keyword' },
      long: { type: 'text' },
    },
  }).put({ a: { t: ['The quick <brown> fox', 'no match', "A fox's den"], k: 'fox', long } });
  afterAll(() => {
    things.close();
  });
  const shown = (query: JsonObject, highlight: JsonObject) =>
    things.search({ query, highlight }).hits[0]?.highlight;
  const whole = (more: JsonObject = {}) => ({ number_of_fragments: 0, fields: { t: {} }, ...more });

  it('marks an empty keyword before another one, and the last one not', () => {
    const empty = new TestCollection({ properties: { k: { type: 'keyword', ignore_above: 5 } } });
    empty.put({
      a: { k: '' },
      b: { k: ['x', ''] },
      c: { k: ['', 'x'] },
      d: { k: ['', 'much too long'] },
      e: { k: ['much too long', 'x', '', ''] },
    });
    const { hits } = empty.search({
      query: { wildcard: { k: '*' } },
      highlight: { number_of_fragments: 0, fields: { k: {} } },
    });
    const marked = Object.fromEntries(hits.map(({ id, highlight }) => [id, highlight?.['k']]));
    expect(marked).toEqual({
      a: undefined,
      b: ['<em>x</em>'],
      c: ['<em></em>', '<em>x</em>'],
      d: undefined,
      e: ['<em>x</em>', '<em></em>'],
    });
    const times = (...should: JsonObject[]) =>
      empty.search({
        query: { bool: { must: [{ ids: { values: ['c'] } }], should } },
        highlight: { number_of_fragments: 0, fields: { k: {} } },
      }).hits[0]?.highlight?.['k'];
    const [pattern, term] = [{ prefix: { k: '' } }, { term: { k: '' } }];
    expect(times(pattern, { wildcard: { k: '*' } })).toEqual([
      '<em></em>',
      '<em></em>',
      '<em>x</em>',
    ]);
    expect(times(pattern, term)).toEqual(['<em></em>', '<em></em>', '<em>x</em>']);
    expect(times(term, { match: { k: '' } })).toEqual(['<em></em>']);
    empty.close();
  });

  it('sees of a text only the wanted words where it tells what is excluded, unless their places are kept', () => {
    const text = 'mill weir old ran';
    const seen = new TestCollection({
      properties: {
        t: { type: 'text' },
        kept: { type: 'text', term_vector: 'with_positions_offsets' },
        listed: { type: 'text', index_options: 'offsets' },
      },
    }).put({ a: { t: text, kept: text, listed: text, u: 'mill' } });
    const marked = (field: string, query: JsonObject) => {
      const highlight = { number_of_fragments: 0, pre_tags: '[', post_tags: ']' };
      const fields = { [field]: {} };
      const [hit] = seen.search({ query, highlight: { ...highlight, fields } }).hits;
      return hit?.highlight?.[field];
    };
    const beside = (field: string, excluded: JsonObject, more: JsonObject = {}) =>
      marked(field, {
        bool: {
          should: [
            { term: { [field]: 'old' } },
            { match_all: {} },
            { bool: { must: [{ term: { [field]: 'weir' } }], must_not: [excluded] } },
            ...(more['should'] === undefined ? [] : [more['should']]),
          ],
        },
      });
    const [all, part] = [['mill [weir] [old] ran'], ['mill weir [old] ran']];
    for (const [field, other] of [
      ['t', all],
      ['kept', part],
      ['listed', part],
    ] as const) {
      expect(beside(field, { term: { [field]: 'mill' } })).toEqual(other);
      expect(beside(field, { term: { [field]: 'old' } })).toEqual(part);
      expect(beside(field, { prefix: { [field]: 'o' } })).toEqual(part);
      expect(beside(field, { match: { [field]: 'mill none' } })).toEqual(other);
      expect(beside(field, { match: { [field]: 'old mill' } })).toEqual(part);
      expect(beside(field, { match: { [field]: { query: 'old mill', operator: 'and' } } })).toEqual(other); // prettier-ignore
      expect(beside(field, { match_phrase: { [field]: 'old ran' } })).toEqual(other);
      expect(beside(field, { exists: { field } })).toEqual(part);
      expect(
        beside(field, {
          multi_match: { query: 'mill ran', fields: ['u', field], type: 'cross_fields', operator: 'and' }, // prettier-ignore
        }),
      ).toEqual(other);
      // Lucene can't tell which words these look for, so it sees all of them.
      const excluded = { term: { [field]: 'mill' } };
      expect(beside(field, excluded, { should: { exists: { field } } })).toEqual(part);
      expect(beside(field, excluded, { should: { terms: { [field]: ['x', 'y'] } } })).toEqual(part);
      expect(beside(field, excluded, { should: { terms: { [field]: ['x'] } } })).toEqual(other);
      expect(beside(field, excluded, { should: { match_phrase_prefix: { [field]: 'x' } } })).toEqual(part); // prettier-ignore
    }
    const withPattern = { should: { prefix: { listed: 'x' } } };
    expect(beside('listed', { term: { listed: 'mill' } }, withPattern)).toEqual(all);
    // What is excluded from an exclusion is missed, so that the whole is not seen to match.
    const twice = (field: string) =>
      marked(field, {
        bool: {
          must: [{ term: { [field]: 'weir' } }],
          must_not: [
            { bool: { must: [{ term: { u: 'mill' } }], must_not: [{ term: { [field]: 'ran' } }] } },
          ],
        },
      });
    expect([twice('t'), twice('kept')]).toEqual([undefined, ['mill [weir] old ran']]);
    seen.close();
  });

  it('marks nothing of nested objects in the document where the places of words are kept, with the objects alone', () => {
    const properties = {
      plain: { type: 'text' },
      kept: { type: 'text', term_vector: 'with_positions_offsets' },
      listed: { type: 'text', index_options: 'offsets' },
    };
    const items = { plain: 'a b', kept: 'a b', listed: 'a b' };
    for (const [isIncluded, expected] of [
      [false, { 'items.plain': ['<em>a</em> b'] }],
      [true, Object.fromEntries(Object.keys(items).map((k) => [`items.${k}`, ['<em>a</em> b']]))],
    ] as const) {
      const nested = { type: 'nested', include_in_root: isIncluded, properties };
      const kept = new TestCollection({ properties: { items: nested } }).put({ x: { items } });
      const marked = (kind: string) => {
        const should = Object.keys(items).map((key) => ({ [kind]: { [`items.${key}`]: 'a' } }));
        const highlight = { number_of_fragments: 0, fields: { '*': {} } };
        const query = { nested: { path: 'items', query: { bool: { should } }, inner_hits: { highlight } } }; // prettier-ignore
        const [hit] = kept.search({ query, highlight }).hits;
        const inner = hit?.innerHits as { items: { hits: readonly JsonObject[] } };
        return [hit?.highlight, Object.keys(inner.items.hits[0]?.['highlight'] ?? {}).length];
      };
      expect(marked('term')).toEqual([expected, 3]);
      // A list of places by word does not help with patterns.
      const listed = { 'items.listed': ['<em>a</em> b'] };
      expect(marked('prefix')).toEqual([{ ...expected, ...listed }, 3]);
      kept.close();
    }
  });

  it('sees the words of nested objects where a clause around them asks for these', () => {
    const nested = { type: 'nested', properties: { k: { type: 'keyword' } } };
    const beside = new TestCollection({ properties: { t: { type: 'text' }, items: nested } });
    beside.put({ x: { t: 'a', items: [{ k: 'mill lane' }, { k: 'old' }] } });
    const marked = (query: JsonObject) =>
      beside.search({ query, highlight: { number_of_fragments: 0, fields: { '*': {} } } }).hits[0]
        ?.highlight;
    const [text, old] = [{ term: { t: 'a' } }, { term: { 'items.k': 'old' } }];
    const both = { t: ['<em>a</em>'], 'items.k': ['<em>old</em>'] };
    expect(marked({ bool: { should: [text, { bool: { must: [old] } }] } })).toEqual(both);
    expect(marked({ bool: { should: [text, { bool: { must: [old, { term: { t: 'b' } }] } }] } })).toEqual({ t: both.t }); // prettier-ignore
    expect(marked({ query_string: { query: 't:a OR items.k:/mi.*/' } })).toEqual({
      t: both.t,
      'items.k': ['<em>mill lane</em>'],
    });
    // What such words exclude is seen to be excluded there.
    expect(marked({ bool: { must: [text], should: [old], must_not: [old] } })).toEqual({
      t: both.t,
    });
    beside.close();
  });

  it('marks words of cross_fields where the fields that analyse alike match, and none beside a phrase by terms', () => {
    const fields = new TestCollection({
      properties: { a: { type: 'text' }, b: { type: 'text' }, e: { type: 'text', analyzer: 'english' } }, // prettier-ignore
    }).put({ x: { a: 'of', b: 'old', e: 'ran mills' } });
    const marked = (query: JsonObject, names: readonly string[], more: JsonObject = {}) => {
      const cross = { multi_match: { query: 'ran of', type: 'cross_fields', fields: names, operator: 'and' } }; // prettier-ignore
      return fields.search({
        query: { bool: { should: [{ match_all: {} }, cross, query] } },
        highlight: { number_of_fragments: 0, fields: { '*': {} }, ...more },
      }).hits[0]?.highlight;
    };
    const nothing = { match_none: {} };
    expect(marked(nothing, ['a', 'e'])).toEqual({ e: ['<em>ran</em> mills'] });
    const byTerms = { require_field_match: false };
    const both = { a: ['<em>of</em>'], e: ['<em>ran</em> mills'] };
    expect(marked(nothing, ['a', 'b'], byTerms)).toEqual(both);
    const phrase = { match_phrase: { a: 'old mill' } };
    expect(marked(phrase, ['a', 'b'], byTerms)).toBeUndefined();
    expect(marked(phrase, ['a', 'e'], byTerms)).toEqual(both);
    // What a field of another analyzer excludes is seen by that analyzer.
    const mill = { multi_match: { query: 'mills', type: 'cross_fields', fields: ['a', 'e'] } };
    const beside = { bool: { must: [{ term: { a: 'of' } }], must_not: [mill] } };
    expect(marked(beside, ['a', 'e'])).toEqual({ e: ['<em>ran</em> mills'] });
    fields.close();
  });

  it('marks what only adds to a score that nobody asks for where terms are marked wherever they stand', () => {
    const filter = {
      bool: { filter: [{ term: { t: 'fox' } }], should: [{ term: { t: 'quick' } }] },
    };
    const query = { constant_score: { filter } };
    expect(shown(query, whole())).toEqual({
      t: ['The quick <brown> <em>fox</em>'],
    });
    expect(shown(query, whole({ require_field_match: false }))).toEqual({
      t: ['The <em>quick</em> <brown> <em>fox</em>'],
    });
  });

  it('keeps blanks around whole values, takes them off fragments, and shows no lead of blanks', () => {
    const blank = new TestCollection({ properties: { k: { type: 'keyword' } } });
    blank.put({
      a: { t: ' x \n', k: '\u3000 ' },
      b: { t: '\u3000x\u0001', k: '\u00a0' },
      c: { t: 'y', k: '\u0001' },
    });
    const shownWith = (query: JsonObject, highlight: JsonObject) =>
      blank.search({ query, sort: ['_id'], highlight }).hits.map((hit) => hit.highlight);
    const fields = { t: {} };
    expect(shownWith({ match: { t: 'x' } }, { number_of_fragments: 0, fields })).toEqual([
      { t: [' <em>x</em> \n'] },
      { t: ['\u3000<em>x</em>\u0001'] },
    ]);
    expect(shownWith({ match: { t: 'x' } }, { fields })).toEqual([
      { t: ['<em>x</em>'] },
      { t: ['\u3000<em>x</em>'] },
    ]);
    const leads = (fragments: number) =>
      shownWith(
        { match_all: {} },
        { number_of_fragments: fragments, no_match_size: 5, fields: { k: {} } },
      );
    expect(leads(0)).toEqual([undefined, { k: ['\u00a0'] }, { k: ['\u0001'] }]);
    expect(leads(1)).toEqual([undefined, { k: ['\u00a0'] }, undefined]);
    blank.close();
  });

  it('shows lists within lists last, unless the field is stored, and stored numbers as written', () => {
    const value = [['x1 a'], 'x2 b', 1e-7, [['x3 c'], 'x4 d', 1e21], 2.5];
    const listed = new TestCollection({
      properties: {
        plain: { type: 'text', fields: { kept: { type: 'keyword', store: true } } },
        kept: { type: 'text', store: true },
        items: { type: 'nested', properties: { kept: { type: 'text', store: true } } },
      },
    });
    listed.put({ a: { plain: value, kept: value, items: [{ kept: value }] } });
    const texts = (field: string) =>
      listed.search({
        highlight: {
          number_of_fragments: 0,
          pre_tags: [''],
          post_tags: [''],
          fields: { [field]: { highlight_query: { wildcard: { [field]: '*' } } } },
        },
      }).hits[0]?.highlight?.[field];
    const inOrder = ['x1 a', 'x2 b', '1e-7', 'x3 c', 'x4 d', '1e+21', '2.5'];
    expect(texts('plain')).toEqual(['x2 b', '1.0E-7', '2.5', 'x1 a', 'x4 d', '1.0E21', 'x3 c']);
    expect(texts('kept')).toEqual(inOrder);
    expect(texts('plain.kept')).toEqual(inOrder);
    const { hits } = listed.search({
      query: {
        nested: {
          path: 'items',
          query: { wildcard: { 'items.kept': 'x*' } },
          inner_hits: { highlight: { number_of_fragments: 0, fields: { 'items.kept': {} } } },
        },
      },
    });
    expect(JSON.stringify(hits[0]?.innerHits)).toContain(
      '"<em>x1</em> a","<em>x2</em> b","<em>x3</em> c","<em>x4</em> d"',
    );
    listed.close();
  });

  it('shows stored fields of nested objects with these alone, unless they are indexed farther out', () => {
    const shownIn = (a: JsonObject, b: JsonObject) => {
      const kept = { type: 'text', store: true };
      const inner = { type: 'nested', ...b, properties: { s: kept } };
      const nested = new TestCollection({
        properties: { a: { type: 'nested', ...a, properties: { s: kept, b: inner } } },
      });
      nested.put({ x: { a: [{ s: 'w1', b: [{ s: ['w2', ['w3'], 'w4'] }] }] } });
      const all = { multi_match: { query: 'w1 w2 w3 w4', fields: ['a.s', 'a.b.s'] } };
      const highlight = {
        number_of_fragments: 0,
        pre_tags: [''],
        post_tags: [''],
        fields: { '*': { highlight_query: all } },
      };
      const [hit] = nested.search({
        query: {
          nested: { path: 'a', query: { exists: { field: 'a.s' } }, inner_hits: { highlight } },
        },
        highlight,
      }).hits;
      const { hits = [] } = hit?.innerHits?.['a'] as { hits?: readonly JsonObject[] };
      nested.close();
      return [hit?.highlight, hits[0]?.['highlight']];
    };
    const outer = { 'a.s': ['w1'] };
    const all = { ...outer, 'a.b.s': ['w2', 'w3', 'w4'] };
    expect(shownIn({}, {})).toEqual([undefined, outer]);
    expect(shownIn({}, { include_in_parent: true })).toEqual([undefined, all]);
    expect(shownIn({}, { include_in_root: true })).toEqual([
      { 'a.b.s': ['w2', 'w3', 'w4'] },
      outer,
    ]);
    expect(shownIn({ include_in_root: true }, {})).toEqual([outer, outer]);
    expect(shownIn({ include_in_parent: true }, { include_in_parent: true })).toEqual([all, all]);
  });

  it('marks beside a phrase, where fields do not count, words and patterns but no pattern for one term', () => {
    const beside = new TestCollection({ properties: { t: { type: 'text' }, u: { type: 'text' } } });
    beside.put({ a: { t: 'abcd new 12 x', u: 'other' } });
    const marked = (clause: JsonObject, other: JsonObject, isByField = false) => {
      const [hit] = beside.search({
        query: { bool: { must: [{ match_all: {} }], should: [clause, other] } },
        highlight: {
          number_of_fragments: 0,
          fields: { t: { require_field_match: isByField } },
        },
      }).hits;
      const [text] = (hit?.highlight?.['t'] ?? []) as readonly string[];
      return text && [...text.matchAll(/<em>(\w+)/g)].map(([, word]) => word).join(' ');
    };
    const phrase = { match_phrase: { u: 'zz yy' } };
    const one = (kind: string, value: JsonValue) => ({ [kind]: { t: value } });
    const scored = (query: JsonObject) => ({ function_score: { query } });
    const literals = [
      one('terms', ['abcd', 'abcd']),
      one('wildcard', 'abcd'),
      one('regexp', 'abcd'),
      one('range', { gte: 'abcd', lte: 'abcd' }),
      one('term', { value: '12', case_insensitive: true }),
      scored(one('match', 'abcd')),
      scored(one('match_phrase', 'abcd new')),
    ];
    for (const clause of literals) {
      expect(marked(clause, phrase)).toBeUndefined();
      expect(marked(clause, { match_phrase_prefix: { u: 'zz' } })).toBeUndefined();
      expect(marked(clause, one('match', 'zz'))).toBeDefined();
      expect(marked(clause, scored(phrase))).toBeDefined();
      expect(marked(clause, { match_phrase: { u: 'zz' } })).toBeDefined();
      expect(marked(clause, phrase, true)).toBeDefined();
    }
    const others = [
      one('terms', ['abcd', 'zz']),
      one('wildcard', 'abc?'),
      one('regexp', 'abc[de]'),
      one('range', { gte: 'abcd', lte: 'abce' }),
      one('term', { value: 'abcd', case_insensitive: true }),
      one('term', 'abcd'),
      one('fuzzy', { value: 'abcd', fuzziness: 0 }),
      one('prefix', 'abcd'),
      scored(one('prefix', 'ab')),
      scored(one('match_bool_prefix', 'x ab')),
      scored(one('match_phrase_prefix', 'x ab')),
    ];
    for (const clause of others) expect(marked(clause, phrase)).toBe('abcd');
    beside.close();
  });

  it('does not mark what is only for the score where the score is not asked for', () => {
    const one = new TestCollection({ properties: { w: { type: 'text' } } });
    one.put({ a: { w: 'weir race lane' } });
    const term = (w: string) => ({ term: { w } });
    const bool = (clauses: JsonObject) => ({ bool: clauses });
    const both = bool({ must: [term('race')], should: [term('weir')] });
    const marked = (query: JsonObject) =>
      one.search({ query, highlight: { number_of_fragments: 0, fields: { w: {} } } }).hits[0]
        ?.highlight?.['w'];
    const all = ['<em>weir</em> <em>race</em> lane'];
    const required = ['weir <em>race</em> lane'];
    expect(marked(both)).toEqual(all);
    expect(marked(bool({ should: [both] }))).toEqual(all);
    expect(marked({ constant_score: { filter: both } })).toEqual(required);
    expect(marked(bool({ filter: [both] }))).toEqual(required);
    expect(marked(bool({ filter: [bool({ must: [both] })] }))).toEqual(required);
    expect(marked(bool({ must: [both], boost: 0 }))).toEqual(required);
    expect(marked({ constant_score: { filter: { dis_max: { queries: [both] } } } })).toEqual(all);
    const chosen = bool({
      filter: [term('race')],
      should: [term('weir')],
      minimum_should_match: 1,
    });
    expect(marked({ constant_score: { filter: chosen } })).toEqual(all);
    one.close();
  });

  it('marks the beginning of a word only where the text that is looked for ends in it', () => {
    const one = new TestCollection({ properties: { w: { type: 'text' } } });
    one.put({ a: { w: 'race 1,000 1 mills' } });
    const marked = (query: string) =>
      one.search({
        query: { match_bool_prefix: { w: query } },
        highlight: { number_of_fragments: 0, fields: { w: {} } },
      }).hits[0]?.highlight?.['w'];
    expect(marked('mill 1')).toEqual(['race <em>1,000</em> <em>1</em> mills']);
    expect(marked('mill 1,')).toEqual(['race 1,000 <em>1</em> mills']);
    one.close();
  });

  it('marks the words of a phrase each for itself where any field may have been asked', () => {
    const one = new TestCollection({ properties: { w: { type: 'text' }, v: { type: 'text' } } });
    one.put({ a: { w: 'generously', v: ['mill x lane', 'mill y', 'lane'] } });
    const marked = (phrase: JsonObject) =>
      one.search({
        query: { bool: { should: [phrase, { match: { w: 'generously' } }] } },
        highlight: { number_of_fragments: 0, fields: { v: { require_field_match: false } } },
      }).hits[0]?.highlight?.['v'];
    const phrase = (query: string, slop: number) => ({ match_phrase: { w: { query, slop } } });
    expect(marked(phrase('mill lane', 0))).toBeUndefined();
    // Words that have changed places are as near as in order.
    expect(marked(phrase('lane mill', 1))).toEqual(['<em>mill</em> x <em>lane</em>']);
    // Through a function_score a server does not see that they belong together.
    expect(marked({ function_score: { query: phrase('lane mill', 0) } })).toEqual([
      '<em>mill</em> x <em>lane</em>',
      '<em>mill</em> y',
      '<em>lane</em>',
    ]);
    one.close();
  });

  it('marks terms wherever they stand beside a nested query, whether or not their clause matches', () => {
    const one = new TestCollection({
      properties: { w: { type: 'text' }, items: { type: 'nested', properties: {} } },
    });
    one.put({ a: { w: 'mill x lane', items: [{}] } });
    const marked = (beside: JsonObject) =>
      one.search({
        query: {
          bool: {
            must: [{ match_all: {} }],
            should: [{ match: { w: { query: 'mill weir', operator: 'and' } } }, beside],
          },
        },
        highlight: { number_of_fragments: 0, fields: { w: {} } },
      }).hits[0]?.highlight?.['w'];
    const nested = (path: string) => ({
      nested: { path, ignore_unmapped: true, query: { match_none: {} } },
    });
    expect(marked(nested('items'))).toEqual(['<em>mill</em> x lane']);
    expect(marked({ bool: { must_not: nested('items') } })).toEqual(['<em>mill</em> x lane']);
    expect(marked(nested('nowhere'))).toBeUndefined();
    expect(marked({ match_all: {} })).toBeUndefined();
    one.close();
  });

  it('takes booleans for the terms F and T where any field may have been asked', () => {
    const one = new TestCollection({
      properties: { b: { type: 'boolean' }, k: { type: 'keyword' } },
    });
    one.put({ a: { b: true, k: ['A', 'F', 'G', 'T', 'f', 'true'] } });
    const marked = (query: JsonObject) =>
      one.search({
        query,
        highlight: { number_of_fragments: 0, fields: { k: { require_field_match: false } } },
      }).hits[0]?.highlight?.['k'];
    const marks = (...values: string[]) => values.map((value) => `<em>${value}</em>`);
    expect(marked({ range: { b: { gt: false } } })).toEqual(marks('G', 'T', 'f', 'true'));
    expect(marked({ range: { b: { lte: true } } })).toEqual(marks('A', 'F', 'G', 'T'));
    expect(marked({ terms: { b: [true, false] } })).toEqual(marks('F', 'T'));
    expect(marked({ match: { b: 'true' } })).toEqual(marks('T'));
    expect(marked({ exists: { field: 'b' } })).toBeUndefined();
    one.close();
  });

  it('shows no lead of what is kept apart in a disabled object, where nothing is', () => {
    const off = new TestCollection({
      properties: {
        o: {
          type: 'object',
          enabled: false,
          properties: { kept: { type: 'text', store: true }, plain: { type: 'text' } },
        },
      },
    }).put({ a: { o: { kept: 'some words', plain: 'some words' } } });
    const fields = { 'o.*': { no_match_size: 4 } };
    const { hits } = off.search({ highlight: { number_of_fragments: 0, fields } });
    expect(hits[0]?.highlight).toEqual({ 'o.plain': ['some '] });
    off.close();
  });

  it('marks whole values that match', () => {
    expect(shown({ match: { t: 'fox brown' } }, whole())).toEqual({
      t: ['The quick <<em>brown</em>> <em>fox</em>'],
    });
  });

  it.each<[string, JsonObject, string | undefined]>([
    ['not those of a clause that does not match', { bool: { must: [{ match: { t: 'fox' } }, { match: { t: 'cat' } }] } }, undefined],
    ['those of one that does', { bool: { must: [{ match: { t: 'den' } }, { match: { k: 'fox' } }] } }, "A fox's <em>den</em>"],
    ['those of one that the same field excludes', { bool: { must: { match: { t: 'den' } }, must_not: { match: { t: 'fox' } } } }, "A fox's <em>den</em>"],
    ['not those of one that another field excludes', { bool: { must: { match: { t: 'den' } }, must_not: { match: { k: 'fox' } } } }, undefined],
    ['not those of one that another of several fields excludes', { bool: { must: { match: { t: 'den' } }, must_not: { multi_match: { query: 'fox', fields: ['t', 'k'] } } } }, undefined],
    ['not those behind a minimum of the score', { function_score: { query: { match: { t: 'den' } }, min_score: 0 } }, undefined],
  ])('marks the words that a hit is found by: %s', (_, clause, expected) => {
    const query = { bool: { should: [clause, { match_all: {} }] } };
    const marked = shown(query, whole())?.['t'] as string[] | undefined;
    expect(marked?.[0]).toBe(expected);
  }); // prettier-ignore

  it('shows numbers as Java writes them', () => {
    const numbers = new TestCollection({
      properties: { k: { type: 'keyword' } },
    }).put({ a: { k: [1e300, 3.75, 1e15] } });
    const { hits } = numbers.search({
      query: { exists: { field: 'k' } },
      highlight: { number_of_fragments: 0, fields: { k: { no_match_size: 9 } } },
    });
    expect(hits[0]?.highlight).toEqual({ k: ['1.0E300'] });
    numbers.close();
  });

  it('passes over empty values, but marks one that was asked for beside others', () => {
    const values = new TestCollection({
      properties: { k: { type: 'keyword' } },
    }).put({ a: { k: ['', 'x'] }, b: { k: '' } });
    const shownOf = (query: JsonObject) =>
      values
        .search({
          query,
          sort: '_id',
          highlight: { number_of_fragments: 0, fields: { k: { no_match_size: 9 } } },
        })
        .hits.map(({ highlight }) => highlight?.['k']);
    expect(shownOf({ match_all: {} })).toEqual([['x'], undefined]);
    expect(shownOf({ term: { k: '' } })).toEqual([['<em></em>'], undefined]);
    values.close();
  });

  it('marks what the analyzer makes equal', () => {
    const fields = { 't.en': {} };
    expect(shown({ match: { 't.en': 'foxes' } }, whole({ fields }))).toEqual({
      't.en': ['The quick <brown> <em>fox</em>', "A <em>fox's</em> den"],
    });
  });

  it.each<[string, JsonObject, string]>([
    ['a phrase as one', { match_phrase: { t: 'quick brown' } }, 'The [quick <brown]> fox'],
    [
      'a phrase with what stands between',
      { match_phrase: { t: { query: 'quick fox', slop: 1 } } },
      'The [quick <brown> fox]',
    ],
    ['a prefix', { prefix: { t: 'qu' } }, 'The [quick] <brown> fox'],
    ['a wildcard', { wildcard: { t: 'b*n' } }, 'The quick <[brown]> fox'],
    [
      'a misspelling',
      { match: { t: { query: 'quikc', fuzziness: 1 } } },
      'The [quick] <brown> fox',
    ],
    ['an expression', { regexp: { t: 'qu.+' } }, 'The [quick] <brown> fox'],
    [
      'a filter',
      { bool: { filter: { term: { t: 'quick' } }, must_not: { term: { t: 'zebra' } } } },
      'The [quick] <brown> fox',
    ],
  ])('marks %s', (_, query, expected) => {
    expect(shown(query, whole({ pre_tags: ['['], post_tags: [']'] }))).toEqual({ t: [expected] });
  });

  it('knows which field was asked, unless told not to', () => {
    const query = { term: { k: 'fox' } };
    expect(shown(query, whole({ fields: { '*': {} } }))).toEqual({ k: ['<em>fox</em>'] });
    expect(shown(query, whole({ require_field_match: false }))).toEqual({
      t: ['The quick <brown> <em>fox</em>'],
    });
    expect(shown({ match_all: {} }, whole())).toBeUndefined();
    expect(shown({ match_all: {} }, whole({ highlight_query: { match: { t: 'no' } } }))).toEqual({
      t: ['<em>no</em> match'],
    });
  });

  it('encodes', () => {
    expect(shown({ match: { t: 'brown' } }, whole({ encoder: 'html' }))).toEqual({
      t: ['The quick &lt;<em>brown</em>&gt; fox'],
    });
  });

  it('cuts long texts into fragments around what was found', () => {
    const query = { match: { long: 'fox' } };
    const byPlace = shown(query, { fields: { long: { fragment_size: 40 } } });
    expect(byPlace).toEqual({
      long: [
        'Here a <em>fox</em> ran by. And nothing more.',
        'The <em>fox</em> and the other <em>fox</em> came back.',
      ],
    });
    const [best] = (
      shown(query, { fields: { long: { number_of_fragments: 1, order: 'score' } } }) as {
        long: string[];
      }
    ).long;
    expect(best).toContain('other <em>fox</em>');
    expect(shown({ match_all: {} }, { fields: { long: { no_match_size: 12 } } })).toEqual({
      long: ['Nothing to see'],
    });
  });
});
