import type { GramSizes } from './TokenFilter.js';
import { standardTokens } from './standardTokens.js';

/** Calls `emit` with the bounds of each token of a string, in order. */
export type Tokenizer = (text: string, emit: (start: number, end: number) => void) => void;

/** White space as Java's `Character.isWhitespace` defines it: without non-breaking spaces. */
export const WHITESPACE = '\\t-\\r\\u001C-\\u0020\\u1680\\u2000-\\u2006\\u2008-\\u200A\\u2028\\u2029\\u205F\\u3000';

/** Longer runs are cut into pieces of this many UTF-16 units. */
const MAX_RUN = 255;

/** Runs of characters that match a pattern, cut at 255 characters as Lucene's character tokenizers do. */
function runsOf(pattern: RegExp): Tokenizer {
  return (text, emit) => {
    for (const found of text.matchAll(pattern)) {
      let start = found.index;
      for (let rest = found[0]; rest.length > 0;) {
        const cut = rest.length <= MAX_RUN ? rest : [...rest.slice(0, 2 * MAX_RUN)].slice(0, MAX_RUN).join('');
        emit(start, start + cut.length);
        start += cut.length;
        rest = rest.slice(cut.length);
      }
    }
  };
}

/** The parts between the matches of a pattern. */
export function splitBy(pattern: RegExp): Tokenizer {
  return (text, emit) => {
    let start = 0;
    for (const { index, 0: separator } of text.matchAll(pattern)) {
      if (index > start) emit(start, index);
      start = index + separator.length;
    }
    if (start < text.length) emit(start, text.length);
  };
}

const letters = runsOf(/\p{L}+/gu);

/** The tokenizers without options. */
export const TOKENIZERS: ReadonlyMap<string, Tokenizer> = new Map<string, Tokenizer>([
  ['standard', standardTokens],
  ['whitespace', runsOf(new RegExp(`[^${WHITESPACE}]+`, 'gu'))],
  [
    'keyword',
    (text, emit) => {
      emit(0, text.length);
    },
  ],
  ['letter', letters],
  // Splits into letters like `letter`; its analyzers lower-case the tokens.
  ['lowercase', letters],
]);

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
