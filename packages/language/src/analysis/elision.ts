import { lowerCase } from './lowerCase.js';

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
