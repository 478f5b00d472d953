import type { GramSizes } from './TokenFilter.js';
import { splitBy, WHITESPACE, type Tokenizer } from './tokenizers.js';

/** Values of `token_chars`: the characters that n-grams consist of. */
export const TOKEN_CHARACTERS: ReadonlyMap<string, string> = new Map([
  ['letter', '\\p{L}'],
  ['digit', '\\p{Nd}'],
  ['whitespace', WHITESPACE],
  ['punctuation', '\\p{P}'],
  ['symbol', '\\p{S}'],
]);

/** N-grams of runs of some characters: from the beginning of each run only, or from each character. */
export function gramTokenizer({ min, max }: GramSizes, fromEdge: boolean, classes: readonly string[]): Tokenizer {
  const others = classes.map((name) => TOKEN_CHARACTERS.get(name) ?? '').join('');
  const runs: Tokenizer =
    classes.length === 0
      ? (text, emit) => {
          emit(0, text.length);
        }
      : splitBy(new RegExp(`[^${others}]+`, 'gu'));
  return (text, emit) => {
    runs(text, (start, end) => {
      const borders = [start];
      for (const character of text.slice(start, end)) borders.push((borders.at(-1) as number) + character.length);
      const lastStart = fromEdge ? 0 : borders.length - 1 - min;
      for (let from = 0; from <= lastStart; from += 1) {
        for (let size = min; size <= max && from + size < borders.length; size += 1)
          emit(borders[from] as number, borders[from + size] as number);
      }
    });
  };
}
