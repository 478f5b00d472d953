/* Terms that several words of a fuzzy search come to, as Elasticsearch 8.14 scores them. */
import { afterAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@millrace/kernel';
import { TestCollection } from '../TestCollection.test.support.js';

describe('a term that is near to two words of a fuzzy search', () => {
  const things = new TestCollection({ properties: { t: { type: 'text', norms: false } } }).put({
    a: { t: 'old runs mill lane ran and' },
    b: { t: ['of Running millers', 'rivers rivers the 1,000', '42 café rivers generously runs'] },
  });
  afterAll(() => things.close());
  const scores = (query: JsonObject) =>
    things.search({ query }).hits.map(({ id, score }) => [id, Number(score?.toFixed(5))]);

  // "ran" is two edits from both, and counts as rare as it does for "race".
  const expected = [
    ['a', 1.55728],
    ['b', 0.28651],
  ];

  it('counts once, as frequent as for the first of them', () => {
    expect(scores({ match: { t: { query: 'race runs', fuzziness: 2 } } })).toEqual(expected);
  });

  it('does so where the words are queries of their own', () => {
    const words = (boost: number) => ({
      bool: {
        should: ['race', 'runs'].map((query) => ({ match: { t: { query, fuzziness: 2, boost } } })),
      },
    });
    expect(scores(words(1))).toEqual(expected);
    expect(scores({ query_string: { query: 'race~2 runs~2', default_field: 't' } })).toEqual(
      expected,
    );
    expect(scores(words(2))[0]).toEqual(['a', 2.5794]);
  });

  it('does so within a query of several fields that counts all of them', () => {
    const two = new TestCollection({
      properties: { t: { type: 'text', norms: false }, u: { type: 'text', norms: false } },
    }).put({
      a: { t: 'old runs mill lane ran and', u: 'x' },
      b: {
        t: ['of Running millers', 'rivers rivers the 1,000', '42 café rivers generously runs'],
        u: 'mill ran',
      },
    });
    const scored = (query: string) =>
      two
        .search({ query: { simple_query_string: { query, fields: ['t', 'u'] } } })
        .hits.map(({ score }) => Number(score?.toFixed(5)));
    expect(scored('mill mill~1')).toEqual([2.17846, 1.60518]);
    expect(scored('mill~1 mills')).toEqual([1.08923, 0.80259]);
    expect(scored('race~2 runs~2')).toEqual([1.55728, 0.82157]);
    two.close();
  });

  it('counts for each where several words are wanted', () => {
    const match = { t: { query: 'race runs', fuzziness: 2, minimum_should_match: 2 } };
    expect(scores({ match })[0]).toEqual(['a', 1.2897]);
  });

  it('counts by itself where a word finds it and gives nothing for it', () => {
    const letters = new TestCollection({ properties: { t: { type: 'text' } } }).put({
      a: { t: ['runs\nran mill, http://a.b/c?d=1. and old rivers generously'] },
      b: { t: 'old; ran, generously. the - a1/generously' },
    });
    const { hits } = letters.search({ query: { match: { t: { query: 'c d 1', fuzziness: 2 } } } });
    expect(hits.map(({ id, score }) => [id, Number(score?.toFixed(5))])).toEqual([
      ['a', 1.38038],
      ['b', 0],
    ]);
    letters.close();
  });
});
