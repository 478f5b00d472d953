import type { JsonObject, JsonValue } from '@millrace/kernel';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TestCollection } from '../TestCollection.test.support.js';

const mapping: JsonObject = {
  properties: {
    t: { type: 'text', fields: { raw: { type: 'keyword' } } },
    e: { type: 'text', analyzer: 'english' },
    n: { type: 'integer' },
    plain: { type: 'text', index_options: 'freqs' },
  },
};

describe('phrases (SEARCH-20)', () => {
  const things = new TestCollection(mapping).put({
    fox: { t: 'the quick brown fox', e: 'the fox of the house', n: 7 },
    red: { t: 'quick red brown fox' },
    two: { t: 'quick brown quick brown' },
    list: { t: ['one quick', 'brown two'], plain: 'blue' },
    apple: { t: 'apple pie and apple tart', plain: 'apple pie' },
  });
  const phrase = (query: JsonValue) => ({ match_phrase: { t: query } });

  it.each<[string, JsonObject, string[]]>([
    ['terms in their order', phrase('quick brown'), ['fox', 'two']],
    ['not in another order', phrase('fox brown'), []],
    ['a gap by slop', phrase({ query: 'quick fox', slop: 1 }), ['fox']],
    ['a larger gap by more slop', phrase({ query: 'quick fox', slop: 2 }), ['fox', 'red']],
    ['swapped words by slop 2', phrase({ query: 'brown quick', slop: 2 }), ['fox', 'two']],
    ['not over two values', phrase({ query: 'quick brown', slop: 90 }), ['fox', 'red', 'two']],
    ['over two values by enough slop', phrase({ query: 'one two', slop: 102 }), ['list']],
    ['one word', phrase('pie'), ['apple']],
    ['a repeated word needs two tokens', phrase({ query: 'fox fox', slop: 9 }), []],
    ['a repeated word', phrase({ query: 'apple apple', slop: 9 }), ['apple']],
    ['no word', phrase('nowhere quick'), []],
    ['no token', phrase('!'), []],
    [
      'no token, asked for all',
      phrase({ query: '!', zero_terms_query: 'all' }),
      ['apple', 'fox', 'list', 'red', 'two'],
    ],
    ['stop words leave a gap', { match_phrase: { e: 'fox in a house' } }, ['fox']],
    ['and not a smaller one', { match_phrase: { e: 'fox house' } }, []],
    ['a keyword as a whole', { match_phrase: { 't.raw': 'quick red brown fox' } }, ['red']],
    ['a number', { match_phrase: { n: 7 } }, ['fox']],
    ['the beginning of a last word', { match_phrase_prefix: { t: 'quick br' } }, ['fox', 'two']],
    ['the beginning of the only word', { match_phrase_prefix: { t: 'app' } }, ['apple']],
    ['an empty beginning', { match_phrase_prefix: { t: 'quick zz' } }, []],
    [
      'words in any order, the last one begun',
      { match_bool_prefix: { t: { query: 'fox qui', operator: 'and' } } },
      ['fox', 'red'],
    ],
    ['either word', { match_bool_prefix: { t: 'tart qui' } }, ['apple', 'fox', 'list', 'red', 'two']],
    [
      'cross fields, all words',
      {
        multi_match: {
          query: 'one blue',
          fields: ['t', 'plain'],
          type: 'cross_fields',
          operator: 'and',
        },
      },
      ['list'],
    ],
    ['a phrase in a query string', { query_string: { query: '"quick fox"~1', fields: ['t'] } }, ['fox']],
    ['a phrase in a simple query string', { simple_query_string: { query: '"red brown"', fields: ['t'] } }, ['red']],
  ])('finds %s', (_, query, expected) => {
    expect(things.ids({ query }).sort()).toEqual(expected);
  });

  it('scores a phrase by its frequency and the rarity of the words', () => {
    const hits = things.search({ query: phrase('quick brown') }).hits;
    expect(hits.map(({ id }) => id)).toEqual(['two', 'fox']);
    const idf = 2 * Math.log(1 + (5 - 4 + 0.5) / (4 + 0.5));
    const average = (4 + 4 + 4 + 4 + 5) / 5;
    const score = (2.2 * idf * 2) / (2 + 1.2 * (0.25 + (0.75 * 4) / average));
    expect(hits[0]?.score).toBeCloseTo(score, 6);
  });

  it('refuses phrases where no positions are kept, and beginnings in keywords', () => {
    expect(() => things.search({ query: { match_phrase: { plain: 'apple pie' } } })).toThrow(
      /needs a field with positions; "plain" keeps none/,
    );
    expect(() => things.search({ query: { match_phrase_prefix: { 't.raw': 'q' } } })).toThrow(/needs a text field/);
  });

  it('finds exactly the documents that hold the words next to each other', () => {
    const word = fc.constantFrom('a1', 'b1', 'c1');
    const text = fc.array(word, { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 12 }), text, (texts, wanted) => {
        const some = new TestCollection(mapping);
        some.put(Object.fromEntries(texts.map((words, i) => [`d${i}`, { t: words.join(' ') }])));
        const query = { match_phrase: { t: wanted.join(' ') } };
        const expected = texts.flatMap((words, i) =>
          ` ${words.join(' ')} `.includes(` ${wanted.join(' ')} `) ? [`d${i}`] : [],
        );
        expect(some.ids({ query, sort: ['_doc'] })).toEqual(expected);
      }),
      { seed: 5, numRuns: 40 },
    );
  });
});
