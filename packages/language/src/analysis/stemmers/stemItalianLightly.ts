/*
 * Jacques Savoy's light stemmer for Italian ("Report on CLEF-2001 experiments", 2002): accents, then the endings of number
 * and gender.
 */
import { letterWriter } from './SuffixRule.js';

const withoutAccents = letterWriter('àa áa âa äa òo óo ôo öo èe ée êe ëe ùu úu ûu üu ìi íi îi ïi');

/** The stem of a word in lower case. */
export function stemItalianLightly(word: string): string {
  if (word.length < 6) return word;
  const stem = withoutAccents(word);
  if (/([ih][ei]|i[ao])$/.test(stem)) return stem.slice(0, -2);
  return /[eiao]$/.test(stem) ? stem.slice(0, -1) : stem;
}
