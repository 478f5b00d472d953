import type { JsonObject } from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import { TestCollection } from '../TestCollection.test.support.js';

const long = `${'Nothing to see in this one. '.repeat(5)}Here a fox ran by. ${'And nothing more. '.repeat(9)}The fox and the other fox came back.`;

describe('highlight', () => {
  const things = new TestCollection({
    properties: {
      t: {
        type: 'text',
        fields: { raw: { type: 'keyword' }, en: { type: 'text', analyzer: 'english' } },
      },
      k: { type: 'keyword', copy_to: 'copies' },
      short: { type: 'keyword', ignore_above: 5 },
      lower: { type: 'keyword', normalizer: 'lowercase', null_value: 'None' },
      copies: { type: 'text' },
      long: { type: 'text' },
      n: { type: 'integer' },
      items: { type: 'nested', properties: { name: { type: 'text' } } },
    },
  }).put({
    a: {
      t: ['The quick <brown> fox', 'no match', "A fox's den"],
      k: 'fox',
      short: ['fox', 'too long', ''],
      lower: ['Red Fox', null],
      long,
      n: 7,
      items: [{ name: 'blue bolt' }, { name: 'red bolt' }],
    },
  });
  const shown = (query: JsonObject, highlight: JsonObject) => things.search({ query, highlight }).hits[0]?.highlight;
  const whole = (more: JsonObject = {}) => ({
    number_of_fragments: 0,
    pre_tags: '[',
    post_tags: ']',
    fields: { t: {} },
    ...more,
  });

  describe('marks the terms that a query looks for', () => {
    it.each<[string, JsonObject, string]>([
      ['term', { term: { t: 'quick' } }, 'The [quick] <brown> fox'],
      ['term of any case', { term: { t: { value: 'QUICK', case_insensitive: true } } }, 'The [quick] <brown> fox'],
      ['terms', { terms: { t: ['quick', 'fox'] } }, 'The [quick] <brown> [fox]'],
      ['prefix', { prefix: { t: 'qu' } }, 'The [quick] <brown> fox'],
      ['wildcard', { wildcard: { t: 'b*n' } }, 'The quick <[brown]> fox'],
      ['regexp', { regexp: { t: 'qu.+' } }, 'The [quick] <brown> fox'],
      ['fuzzy', { fuzzy: { t: 'quikc' } }, 'The [quick] <brown> fox'],
      ['range', { range: { t: { gte: 'q', lt: 'r' } } }, 'The [quick] <brown> fox'],
      ['match', { match: { t: 'fox brown' } }, 'The quick <[brown]> [fox]'],
      ['match with fuzziness', { match: { t: { query: 'quikc', fuzziness: 1 } } }, 'The [quick] <brown> fox'],
      ['match_bool_prefix', { match_bool_prefix: { t: 'quick bro' } }, 'The [quick] <[brown]> fox'],
      ['match_phrase', { match_phrase: { t: 'quick brown' } }, 'The [quick <brown]> fox'],
      ['match_phrase with slop', { match_phrase: { t: { query: 'quick fox', slop: 1 } } }, 'The [quick <brown> fox]'],
      ['match_phrase_prefix', { match_phrase_prefix: { t: 'quick bro' } }, 'The [quick <brown]> fox'],
      ['multi_match', { multi_match: { query: 'quick', fields: ['t', 'k'] } }, 'The [quick] <brown> fox'],
      [
        'cross_fields',
        { multi_match: { query: 'quick', fields: ['t', 'k'], type: 'cross_fields' } },
        'The [quick] <brown> fox',
      ],
      ['query_string', { query_string: { query: 't:(quick AND br*)' } }, 'The [quick] <[brown]> fox'],
      ['filter', { bool: { filter: { term: { t: 'quick' } } } }, 'The [quick] <brown> fox'],
      ['constant_score', { constant_score: { filter: { term: { t: 'quick' } } } }, 'The [quick] <brown> fox'],
      ['function_score', { function_score: { query: { term: { t: 'quick' } } } }, 'The [quick] <brown> fox'],
      [
        'positive of boosting',
        { boosting: { positive: { term: { t: 'quick' } }, negative: { term: { t: 'den' } }, negative_boost: 0.5 } },
        'The [quick] <brown> fox',
      ],
    ])('of %s', (_, query, expected) => {
      const shownValues = shown(query, whole())?.['t'] as string[];
      expect(shownValues[0]).toBe(expected);
      expect(shownValues).not.toContain('no match');
    });

    it('as the analyzer of the field makes them equal', () => {
      expect(shown({ match: { 't.en': 'foxes' } }, whole({ fields: { 't.en': {} } }))).toEqual({
        't.en': ['The quick <brown> [fox]', "A [fox's] den"],
      });
    });

    it('as a normalizer makes them equal, with the value that replaces null', () => {
      const fields = { lower: {} };
      expect(shown({ term: { lower: 'RED FOX' } }, whole({ fields }))).toEqual({
        lower: ['[red fox]'],
      });
      expect(shown({ term: { lower: 'none' } }, whole({ fields }))).toEqual({ lower: ['[none]'] });
    });

    it('in values copied from other fields', () => {
      expect(shown({ match: { copies: 'fox' } }, whole({ fields: { copies: {} } }))).toEqual({
        copies: ['[fox]'],
      });
    });

    it('only in values that are indexed', () => {
      const fields = { short: {} };
      expect(shown({ wildcard: { short: '*' } }, whole({ fields }))).toEqual({ short: ['[fox]'] });
    });
  });

  describe('marks nothing', () => {
    it.each<[string, JsonObject]>([
      ['for queries without words', { match_all: {} }],
      ['for ranges of any value', { exists: { field: 't' } }],
      ['for what is excluded', { bool: { must: { match_all: {} }, must_not: { term: { t: 'cat' } } } }],
      [
        'of words apart from their phrase',
        { bool: { should: [{ match_all: {} }, { match_phrase: { t: 'brown quick' } }] } },
      ],
      ['in another field', { term: { k: 'fox' } }],
    ])('%s', (_, query) => {
      expect(shown(query, whole())).toBeUndefined();
    });

    it.each<[string, JsonObject]>([
      ['a bool', { bool: { must: [{ match: { t: 'fox' } }, { match: { t: 'cat' } }] } }],
      ['a bool that excludes', { bool: { must: { match: { t: 'fox' } }, must_not: { match: { k: 'fox' } } } }],
      ['a match of all words', { match: { t: { query: 'fox cat', operator: 'and' } } }],
      ['a match of most words', { match: { t: { query: 'fox cat cow', minimum_should_match: 2 } } }],
      [
        'cross_fields',
        { multi_match: { query: 'fox cat', fields: ['t', 'k'], type: 'cross_fields', operator: 'and' } },
      ],
    ])('of an optional clause that does not match: %s', (_, clause) => {
      const should = [clause, { match_all: {} }];
      expect(shown({ bool: { should } }, whole())).toBeUndefined();
      expect(shown({ dis_max: { queries: should } }, whole())).toBeUndefined();
      expect(shown({ bool: { should: [clause, { match: { t: 'den' } }] } }, whole())).toEqual({
        t: ["A fox's [den]"],
      });
    });
  });

  it('marks words of cross_fields only in fields whose analyzer finds all that are required', () => {
    const fields = ['t', 'copies', 't.en'];
    const cross = { query: 'no foxes match', type: 'cross_fields', fields, operator: 'and' };
    expect(shown({ multi_match: cross }, whole({ fields: { '*': {} } }))).toEqual({
      't.en': ['The quick <brown> [fox]', 'no [match]', "A [fox's] den"],
    });
  });

  it('with require_field_match false marks words searched in any field', () => {
    const query = { term: { k: 'fox' } };
    expect(shown(query, whole({ fields: { '*': {} } }))).toEqual({ k: ['[fox]'] });
    expect(shown(query, whole({ require_field_match: false }))).toEqual({
      t: ['The quick <brown> [fox]'],
    });
  });

  it('with highlight_query marks the words of that query, if the hit matches it', () => {
    const marked = (query: JsonObject) => shown({ match_all: {} }, whole({ highlight_query: query }));
    expect(marked({ match: { t: 'no' } })).toEqual({ t: ['[no] match'] });
    const must = [{ match: { t: 'no' } }, { match: { t: 'cat' } }];
    expect(marked({ bool: { must } })).toBeUndefined();
  });

  it('marks nested values in the document and in inner hits', () => {
    const highlight = whole({ fields: { 'items.name': {} } });
    const query = { term: { 'items.name': 'red' } };
    const [hit] = things.search({
      query: { nested: { path: 'items', query, inner_hits: { highlight } } },
      highlight,
    }).hits;
    expect(hit?.highlight).toEqual({ 'items.name': ['[red] bolt'] });
    expect(hit?.innerHits).toMatchObject({
      items: { hits: [{ highlight: { 'items.name': ['[red] bolt'] } }] },
    });
  });

  it('marks values of any depth of lists, in their order', () => {
    const listed = new TestCollection({ properties: { t: { type: 'text' } } });
    listed.put({ a: { t: [['x a'], 'x b', 1.5, [['x c'], 1e21]] } });
    const { hits } = listed.search({
      query: { wildcard: { t: '*' } },
      highlight: whole(),
    });
    expect(hits[0]?.highlight).toEqual({
      t: ['[x] [a]', '[x] [b]', '[1.5]', '[x] [c]', '[1e]+[21]'],
    });
  });

  it('with encoder html escapes what it does not add', () => {
    expect(shown({ match: { t: 'brown' } }, { encoder: 'html', fields: { t: {} } })).toEqual({
      t: ['The quick &lt;<em>brown</em>&gt; fox'],
    });
  });

  describe('cuts long values', () => {
    const query = { match: { long: 'fox' } };
    const fragments = (options: JsonObject, other: JsonObject = query) =>
      shown(other, { fields: { long: options } })?.['long'] as string[] | undefined;

    it('into fragments of whole sentences that fit into fragment_size', () => {
      expect(fragments({ fragment_size: 40 })).toEqual([
        'Here a <em>fox</em> ran by. And nothing more.',
        'The <em>fox</em> and the other <em>fox</em> came back.',
      ]);
    });

    it('between words where a sentence is longer than fragment_size', () => {
      expect(fragments({ fragment_size: 12 })).toEqual([
        'Here a <em>fox</em>',
        'The <em>fox</em> and',
        '<em>fox</em> came',
      ]);
    });

    it('into at most number_of_fragments, the best ones', () => {
      const best = 'The <em>fox</em> and the other <em>fox</em> came back.';
      expect(fragments({ fragment_size: 40, number_of_fragments: 1 })).toEqual([best]);
      expect(fragments({ fragment_size: 40, order: 'score' })?.[0]).toBe(best);
    });

    it('to a lead of no_match_size where nothing is marked', () => {
      const all = { match_all: {} };
      expect(fragments({ no_match_size: 12 }, all)).toEqual(['Nothing to see']);
      expect(fragments({ no_match_size: 12 })).toHaveLength(2);
      expect(fragments({}, all)).toBeUndefined();
    });
  });
});
