import { lowerCase } from '../document/lowerCase.js';
import { withoutArticle } from './elision.js';
import { foldToAscii } from './foldToAscii.js';
import { normalizeGerman } from './stemmers/normalizeGerman.js';
import { WHITESPACE } from './tokenizers.js';

/**
 * Takes the next token of a text.
 * @param increment how many positions it is after the token before; 0: at the same one
 */
export type Emit = (term: string, increment: number, start: number, end: number) => void;

/** A step between the tokenizer and the index. */
export interface TokenFilter {
  /**
   * Begins a text.
   * @param next takes what is left
   * @param atEnd takes a function that returns by how many positions the text goes on after its last token
   */
  readonly open: (next: Emit, atEnd: (skipped: () => number) => void) => Emit;
  /** What it does to a part of a word; absent: nothing. */
  readonly normalize?: (text: string) => string;
  readonly stacks?: boolean;
}

/** Changes each term for itself. @param isNormal whether parts of words are changed as well */
export function changing(change: (term: string) => string, isNormal: boolean): TokenFilter {
  return {
    open: (next) => (term, increment, start, end) => {
      next(change(term), increment, start, end);
    },
    ...(isNormal ? { normalize: change } : {}),
  };
}

/** Leaves terms out; each leaves a gap. */
export function keeping(isKept: (term: string) => boolean): TokenFilter {
  return {
    open: (next, atEnd) => {
      let skipped = 0;
      atEnd(() => skipped);
      return (term, increment, start, end) => {
        if (isKept(term)) {
          next(term, increment + skipped, start, end);
          skipped = 0;
        } else skipped += increment;
      };
    },
  };
}

/** Leaves out terms that the text had before. They leave no gap. */
export const unique: TokenFilter = {
  open: (next) => {
    const seen = new Set<string>();
    return (term, increment, start, end) => {
      if (seen.has(term)) return;
      seen.add(term);
      next(term, increment, start, end);
    };
  },
};

/** How long n-grams are, in characters. */
export interface GramSizes {
  readonly min: number;
  readonly max: number;
}

/** Makes n-grams of each term, all at its position: from its beginning alone, or from each of its characters. */
export function grams({ min, max }: GramSizes, fromEdge: boolean): TokenFilter {
  return {
    stacks: true,
    open: (next, atEnd) => {
      let skipped = 0;
      atEnd(() => skipped);
      return (term, increment, start, end) => {
        const characters = [...term];
        skipped += increment;
        const lastStart = fromEdge ? 0 : characters.length - min;
        for (let from = 0; from <= lastStart; from += 1) {
          let gram = characters.slice(from, from + min - 1).join('');
          for (let size = min; size <= max && from + size <= characters.length; size += 1) {
            gram += characters[from + size - 1] as string;
            next(gram, skipped, start, end);
            skipped = 0;
          }
        }
      };
    },
  };
}

/** Removes articles that stand before an apostrophe. @param articles in lower case, where their case is ignored */
export function eliding(articles: ReadonlySet<string>, ignoresCase: boolean): TokenFilter {
  return changing((term) => withoutArticle(term, articles, ignoresCase), true);
}

const BLANK = new RegExp(`[${WHITESPACE}]`);

// Not by one pattern, which would look at a run of blanks within the text from each of them on.
function trim(term: string): string {
  let [start, end] = [0, term.length];
  while (start < end && BLANK.test(term[start] as string)) start += 1;
  while (end > start && BLANK.test(term[end - 1] as string)) end -= 1;
  return term.slice(start, end);
}

/** The filters that take no options. */
export const TOKEN_FILTERS: ReadonlyMap<string, TokenFilter> = new Map<string, TokenFilter>([
  ['lowercase', changing(lowerCase, true)],
  ['asciifolding', changing(foldToAscii, true)],
  ['german_normalization', changing(normalizeGerman, true)],
  ['trim', changing(trim, true)],
  ['unique', unique],
]);
