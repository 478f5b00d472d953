import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TestCollection } from '../TestCollection.test.support.js';

/*
 * The best hits of a disjunction are found without scoring all documents. With an aggregation, the same query scores
 * all of them: both must agree, to the last bit of each score.
 */
const WORDS = ['a', 'b', 'c', 'd', 'e', 'f'] as const;
const things = new TestCollection({ properties: { text: { type: 'text' } } });

function fill(seed: number, prefix: string): void {
  const texts = fc.sample(
    fc.array(
      fc
        .array(fc.oneof({ weight: 4, arbitrary: fc.constant('a') }, fc.constantFrom(...WORDS)), {
          maxLength: 14,
        })
        .map((words) => words.join(' ')),
      { minLength: 300, maxLength: 300 },
    ),
    { seed, numRuns: 1 },
  )[0] as string[];
  things.put(Object.fromEntries(texts.map((text, i) => [`${prefix}${i}`, { text }])));
}

function check(): void {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...WORDS, 'none'), { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 0, max: 40 }),
      fc.integer({ min: 1, max: 500 }),
      (words, from, size) => {
        const body = { query: { match: { text: words.join(' ') } }, from, size };
        const quick = things.search(body);
        const { aggregations: _, ...whole } = things.search({
          ...body,
          aggs: { n: { global: {} } },
        });
        expect(quick).toEqual(whole);
      },
    ),
    { seed: 5, numRuns: 150 },
  );
}

describe('the best hits of a match query', () => {
  it('are those that scoring every document gives, with the same total and highest score', () => {
    fill(1, 'x');
    check();
  });

  it('leave out documents that were replaced or deleted', () => {
    fill(2, 'y');
    fill(3, 'x');
    things.delete(...Array.from({ length: 100 }, (_, i) => `y${i * 3}`));
    check();
  });

  it('are found for one word and for words that no document has', () => {
    expect(things.search({ query: { match: { text: 'none' } } })).toMatchObject({
      total: 0,
      hits: [],
      maxScore: null,
    });
    const one = things.search({ query: { match: { text: 'f' } }, size: 1 });
    expect(one.hits).toHaveLength(1);
    expect(one.total).toBe(things.count({ query: { match: { text: 'f' } } }));
  });
});
