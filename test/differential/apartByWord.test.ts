import { describe, expect, it } from 'vitest';
import { apartByWord } from './apartByWord.js';

describe('apartByWord', () => {
  it('wants two of the words, and of the clauses beside them, so that none is merged with another', () => {
    const request = {
      query: {
        bool: {
          should: [
            { match: { text: { query: 'mill lane', fuzziness: 2 } } },
            { query_string: { query: 'mill~ lane~', minimum_should_match: '75%' } },
          ],
        },
      },
    };
    expect(apartByWord(request)).toEqual({
      query: {
        bool: {
          should: [
            { match: { text: { query: 'mill lane', fuzziness: 2, minimum_should_match: 2 } } },
            { query_string: { query: 'mill~ lane~', minimum_should_match: '75%' } },
          ],
          minimum_should_match: 2,
        },
      },
    });
  });

  it('says nothing where no word is fuzzy, or each scores by itself already', () => {
    expect(apartByWord({ query: { match: { text: { query: 'mill lane' } } } })).toBeUndefined();
    const fuzzy = { query: 'mill lane', fuzziness: 2, minimum_should_match: 2 };
    expect(apartByWord({ query: { match: { text: fuzzy } } })).toBeUndefined();
  });
});
