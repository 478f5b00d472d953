/*
 * Jacques Savoy's light stemmer for Spanish ("Report on CLEF-2001 experiments", 2002): accents, then the endings of number
 * and gender.
 */
import { letterWriter } from './SuffixRule.js';

const withoutAccents = letterWriter('àa áa âa äa òo óo ôo öo èe ée êe ëe ùu úu ûu üu ìi íi îi ïi');

/** The stem of a word in lower case. */
export function stemSpanishLightly(word: string): string {
  if (word.length < 5) return word;
  const stem = withoutAccents(word);
  if (/[oae]$/.test(stem)) return stem.slice(0, -1);
  if (stem.endsWith('eses')) return stem.slice(0, -2);
  if (stem.endsWith('ces')) return `${stem.slice(0, -3)}z`;
  return /[oae]s$/.test(stem) ? stem.slice(0, -2) : stem;
}
