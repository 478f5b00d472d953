import { describe, expect, it } from 'vitest';
import { PlacedTokenList, findSpans } from './findSpans.js';

/** The spans of a phrase in a list of words. */
function marked(text: string, phrase: string, slop: number): string[] {
  const tokens = new PlacedTokenList();
  for (const [position, { 0: word, index }] of [...text.matchAll(/\w+/g)].entries())
    tokens.add(word, position, index, index + word.length);
  const terms = phrase.split(' ').map((word, offset) => ({
    offset,
    accepts: (term: string) => term === word,
  }));
  const spans = findSpans(tokens, [{ field: 't', terms, slop }]);
  return spans.map(({ start, end }) => text.slice(start, end));
}

describe('findSpans', () => {
  it.each<[string, string, number, string[]]>([
    ['a b a', 'a', 0, ['a', 'a']],
    ['a b c a b', 'a b', 0, ['a b', 'a b']],
    ['a x b', 'a b', 0, []],
    ['a x b', 'a b', 1, ['a x b']],
    ['b a', 'a b', 1, []],
    ['b a', 'a b', 2, ['b a']],
    ['a x a b', 'a b', 2, ['a x a b']],
    ['a', 'a a', 1, []],
    ['a a', 'a a', 0, ['a a']],
    ['a b a b', 'a b a', 0, ['a b a']],
  ])('of "%s" for "%s" with slop %i: %j', (text, phrase, slop, expected) => {
    expect(marked(text, phrase, slop)).toEqual(expected);
  });
});
