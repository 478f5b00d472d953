/*
 * Jacques Savoy's light stemmer for German ("Light stemming approaches for the French, Portuguese, German and Hungarian
 * languages", 2006): accents, then the endings of number and case, then those of comparison.
 */
import { letterWriter } from './SuffixRule.js';

const withoutAccents = letterWriter('äa àa áa âa öo òo óo ôo ïi ìi íi îi üu ùu úu ûu');

/** The stem of a word in lower case. */
export function stemGermanLightly(word: string): string {
  return withoutComparison(withoutCase(withoutAccents(word)));
}

function withoutCase(word: string): string {
  const { length } = word;
  if (length > 5 && word.endsWith('ern')) return word.slice(0, -3);
  if (length > 4 && /e[mnrs]$/.test(word)) return word.slice(0, -2);
  if (length > 3 && word.endsWith('e')) return word.slice(0, -1);
  return length > 3 && /[bdfghklmnt]s$/.test(word) ? word.slice(0, -1) : word;
}

function withoutComparison(word: string): string {
  const { length } = word;
  if (length > 5 && word.endsWith('est')) return word.slice(0, -3);
  return length > 4 && /(e[rn]|[bdfghklmnt]st)$/.test(word) ? word.slice(0, -2) : word;
}
