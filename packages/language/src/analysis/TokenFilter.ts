import { foldToAscii } from './foldToAscii.js';
import { lowerCase } from './lowerCase.js';
import { normalizeGerman } from './stemmers/normalizeGerman.js';
import { WHITESPACE } from './tokenizers.js';

/**
 * Receives the next token.
 * @param increment distance from the position of the previous token; 0: the same position
 */
export type Emit = (term: string, increment: number, start: number, end: number) => void;

/** A step between the tokenizer and the index. */
export interface TokenFilter {
  /**
   * Begins an input string.
   * @param next receives the remaining tokens
   * @param atEnd receives a function that returns the number of positions after the last token
   */
  readonly open: (next: Emit, atEnd: (skipped: () => number) => void) => Emit;
  /** Its effect on part of a word; absent: none. */
  readonly normalize?: (text: string) => string;
  readonly stacks?: boolean;
}

/** Changes each term independently. @param isNormal whether parts of words are changed as well */
export function changing(change: (term: string) => string, isNormal: boolean): TokenFilter {
  return {
    open: (next) => (term, increment, start, end) => {
      next(change(term), increment, start, end);
    },
    ...(isNormal ? { normalize: change } : {}),
  };
}

/** Removes terms; each leaves a gap. */
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

/** Removes terms that occurred before. They leave no gap. */
const unique: TokenFilter = {
  open: (next) => {
    const seen = new Set<string>();
    return (term, increment, start, end) => {
      if (seen.has(term)) return;
      seen.add(term);
      next(term, increment, start, end);
    };
  },
};

/** Length limits of n-grams, in characters. */
export interface GramSizes {
  readonly min: number;
  readonly max: number;
}

/** Replaces each term by n-grams, all at its position: from its beginning only, or from each of its characters. */
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

/** Removes articles before an apostrophe. @param articles in lower case, if their case is ignored */
export function eliding(articles: ReadonlySet<string>, ignoresCase: boolean): TokenFilter {
  return changing((term) => withoutArticle(term, articles, ignoresCase), true);
}

const BLANK = new RegExp(`[${WHITESPACE}]`);

// Not by a single pattern: that would rescan a run of blanks within the text from each of its blanks.
function trim(term: string): string {
  let [start, end] = [0, term.length];
  while (start < end && BLANK.test(term[start] as string)) start += 1;
  while (end > start && BLANK.test(term[end - 1] as string)) end -= 1;
  return term.slice(start, end);
}

/** The filters without options. */
export const TOKEN_FILTERS: ReadonlyMap<string, TokenFilter> = new Map<string, TokenFilter>([
  ['lowercase', changing(lowerCase, true)],
  ['asciifolding', changing(foldToAscii, true)],
  ['german_normalization', changing(normalizeGerman, true)],
  ['trim', changing(trim, true)],
  ['unique', unique],
]);

/** French articles that elide their vowel. */
export const FRENCH_ARTICLES: ReadonlySet<string> = new Set('l m t qu n s j d c jusqu quoiqu lorsqu puisqu'.split(' '));

/** Italian articles that elide their vowel. */
export const ITALIAN_ARTICLES: ReadonlySet<string> = new Set(
  'c l all dall dell nell sull coll pell gl agl dagl degl negl sugl un m t s v d'.split(' '),
);

/**
 * The word without an article and its apostrophe: "l'avion" → "avion".
 * @param articles in lower case, if their case is ignored
 */
export function withoutArticle(word: string, articles: ReadonlySet<string>, ignoresCase: boolean): string {
  const at = word.search(/['\u2019]/);
  if (at === -1) return word;
  const article = word.slice(0, at);
  return articles.has(ignoresCase ? lowerCase(article) : article) ? word.slice(at + 1) : word;
}
