import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TermDictionary } from '../columns/TermDictionary.js';
import { editDistance } from '../highlight/phrasesOfLeaf.js';
import { findNearTerms } from './findNearTerms.js';

function near(terms: readonly string[], word: string, limit: number, transpositions: boolean) {
  const dictionary = new TermDictionary();
  for (const term of terms) dictionary.codeFor(term);
  const ranks = [0, dictionary.size] as const;
  const options = { limit, transpositions, ranks, check: () => undefined };
  return findNearTerms(dictionary, [...word], options).map(({ term, edits }) => [term, edits]);
}

describe('findNearTerms', () => {
  it('finds what is near, with its edits', () => {
    const terms = ['mill', 'mull', 'mlil', 'milling', 'ill', 'm', 'will', 'mile', 'millx'];
    expect(near(terms, 'mill', 1, true)).toEqual([
      ['ill', 1], ['mile', 1], ['mill', 0], ['millx', 1], ['mlil', 1], ['mull', 1], ['will', 1],
    ]); // prettier-ignore
    expect(near(terms, 'mill', 1, false).map(([term]) => term)).not.toContain('mlil');
  });

  it('finds the same as a table of distances for each term', () => {
    const term = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '😀', 'é'), maxLength: 7 });
    fc.assert(
      fc.property(
        fc.uniqueArray(term, { maxLength: 60 }),
        term,
        fc.nat(2),
        fc.boolean(),
        (terms, word, limit, swaps) => {
          const expected = terms
            .map((each) => [each, editDistance([...word], [...each], limit, swaps)] as const)
            .filter(([, edits]) => edits <= limit);
          const found = near(terms, word, limit, swaps);
          expect([...found].sort()).toEqual(expected.map((each) => [...each]).sort());
        },
      ),
      { numRuns: 3_000 },
    );
  });
});
