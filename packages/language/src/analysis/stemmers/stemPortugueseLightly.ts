/*
 * Jacques Savoy's light stemmer for Portuguese ("Light stemming approaches for the French, Portuguese, German and Hungarian
 * languages", 2006): plurals and adverbs, then feminine forms, the last vowel and accents.
 */
import { letterWriter, replaceSuffix, type SuffixRule } from './SuffixRule.js';

const PLURALS: readonly SuffixRule[] = [
  [5, 'res', 'r'],
  [5, 'ses', 's'],
  [5, 'les', 'l'],
  [5, 'zes', 'z'],
  [4, 'ns', 'm'],
  [5, 'eis', 'el'],
  [5, 'éis', 'el'],
  [5, 'ais', 'al'],
  [5, 'óis', 'ol'],
  [5, 'is', 'il'],
  [4, 'ões', 'ão'],
  [4, 'ães', 'ão'],
  [7, 'mente', ''],
  [4, 's', ''],
];
const FEMININES: readonly SuffixRule[] = [
  [8, 'inha', 'inho'],
  [8, 'iaca', 'iaco'],
  [8, 'eira', 'eiro'],
  [7, 'osa', 'oso'],
  [7, 'ica', 'ico'],
  [7, 'ida', 'ido'],
  [7, 'ada', 'ado'],
  [7, 'iva', 'ivo'],
  [7, 'ama', 'amo'],
  [7, 'ona', 'ão'],
  [7, 'ora', 'or'],
  [7, 'esa', 'ês'],
  [7, 'na', 'no'],
];

const withoutAccents = letterWriter('àa áa âa äa ãa òo óo ôo öo õo èe ée êe ëe ùu úu ûu üu ìi íi îi ïi çc');

/** The stem of a word in lower case. */
export function stemPortugueseLightly(word: string): string {
  if (word.length < 4) return word;
  let stem = replaceSuffix(word, PLURALS) ?? word;
  stem = replaceSuffix(stem, FEMININES) ?? stem;
  if (stem.length > 4 && /[eao]$/.test(stem)) stem = stem.slice(0, -1);
  return withoutAccents(stem);
}
