/*
 * Jacques Savoy's light stemmer for French ("A stemming procedure and stopword list for general French corpora", 1999;
 * the revised suffixes of "Light stemming approaches for the French, Portuguese, German and Hungarian languages",
 * 2006): plurals, the suffix of a derivation, then accents, doubled letters and the endings of number and gender.
 */
import { letterWriter, replaceSuffix, type SuffixRule } from './SuffixRule.js';

/** The first rule that applies ends the removal of suffixes. */
const FINAL: readonly SuffixRule[] = [
  [10, 'issement', 'ir'],
  [9, 'issant', 'ir'],
];
const VERBAL: readonly SuffixRule[] = [
  [12, 'ficatrice', 'fier'],
  [11, 'ficateur', 'fier'],
  [10, 'catrice', 'quer'],
  [9, 'cateur', 'quer'],
  [9, 'atrice', 'er'],
  [8, 'ateur', 'er'],
  [7, 'trice', 'teur'],
];
const NOMINAL: readonly SuffixRule[] = [
  [6, 'ième', ''],
  [8, 'teuse', 'ter'],
  [7, 'teur', 'ter'],
  [6, 'euse', 'eu'],
  [9, 'ère', 'er'],
  [8, 'ive', 'if'],
  [5, 'folle', 'fou'],
  [5, 'molle', 'mou'],
  [10, 'nnelle', 'n'],
  [10, 'nnel', 'n'],
];
const LAST: readonly SuffixRule[] = [
  [9, 'esse', 'e'],
  [8, 'inage', 'in'],
  [10, 'isateur', ''],
  [9, 'ation', ''],
  [9, 'ition', ''],
];

const withoutAccents = letterWriter('àa áa âa ôo èe ée êe ùu ûu îi çc');

/** The stem of a word in lower case. */
export function stemFrenchLightly(word: string): string {
  return withoutEndings(withoutSuffix(withoutPlural(word)));
}

function withoutPlural(word: string): string {
  let stem = word;
  if (stem.length > 5 && stem.endsWith('x')) stem = /[^e]aux$/.test(stem) ? `${stem.slice(0, -2)}l` : stem.slice(0, -1);
  if (stem.length > 3 && stem.endsWith('x')) stem = stem.slice(0, -1);
  return stem.length > 3 && stem.endsWith('s') ? stem.slice(0, -1) : stem;
}

function withoutSuffix(word: string): string {
  const final = replaceSuffix(word, FINAL);
  if (final !== undefined) return final;
  if (word.length > 6 && word.endsWith('ement')) {
    const stem = word.slice(0, -4);
    return stem.length > 3 && stem.endsWith('ive') ? `${stem.slice(0, -2)}f` : stem;
  }
  let stem = word;
  for (const rule of VERBAL) stem = replaceSuffix(stem, [rule]) ?? stem;
  const nominal = replaceSuffix(stem, NOMINAL);
  if (nominal !== undefined) return nominal;
  if (stem.length > 4 && stem.endsWith('ète')) stem = `${stem.slice(0, -3)}et`;
  if (stem.length > 8 && stem.endsWith('ique')) stem = stem.slice(0, -4);
  if (stem.length > 9 && stem.endsWith('isation')) {
    const root = stem.slice(0, -7);
    return root.length > 5 && root.endsWith('ual') ? `${root.slice(0, -2)}el` : root;
  }
  return replaceSuffix(stem, LAST) ?? stem;
}

function withoutEndings(word: string): string {
  if (word.length <= 4) return word;
  let stem = withoutAccents(word).replace(/(\p{L})\1+/gu, '$1');
  if (stem.length > 4 && stem.endsWith('ie')) stem = stem.slice(0, -2);
  if (stem.length <= 4) return stem;
  if (stem.endsWith('r')) stem = stem.slice(0, -1);
  if (stem.endsWith('e')) stem = stem.slice(0, -1);
  if (stem.endsWith('e')) stem = stem.slice(0, -1);
  return /(\p{L})\1$/u.test(stem) ? stem.slice(0, -1) : stem;
}
