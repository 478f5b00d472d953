/*
 * The Porter stemmer ("An algorithm for suffix stripping", 1980) with the two changes of its author's own programs,
 * which Lucene has too: "bli" → "ble" instead of "abli" → "able", and "logi" → "log". Input: one lower-case word.
 *
 * A word has the form [C](VC)^m[V]; the measure m of the part before a suffix decides whether a rule applies.
 */

function isVowel(word: string, i: number): boolean {
  switch (word.charCodeAt(i)) {
    case 97:
    case 101:
    case 105:
    case 111:
    case 117:
      return true;
    case 121:
      return i > 0 && !isVowel(word, i - 1);
    default:
      return false;
  }
}

/** Number of vowel-consonant transitions within the first `end` letters. */
function measure(word: string, end: number): number {
  let count = 0;
  let wasVowel = false;
  for (let i = 0; i < end; i += 1) {
    // In a run of y each is the opposite of the previous one: no need to look back.
    const vowel: boolean = word.charCodeAt(i) === 121 ? i > 0 && !wasVowel : isVowel(word, i);
    if (wasVowel && !vowel) count += 1;
    wasVowel = vowel;
  }
  return count;
}

function hasVowel(word: string, end: number): boolean {
  for (let i = 0; i < end; i += 1) if (isVowel(word, i)) return true;
  return false;
}

function endsInDouble(word: string): boolean {
  const last = word.length - 1;
  return last > 0 && word[last] === word[last - 1] && !isVowel(word, last);
}

/** True if the word ends with consonant, vowel, consonant, the last not w, x or y. */
function endsInShortSyllable(word: string, end: number): boolean {
  const last = end - 1;
  if (last < 2 || isVowel(word, last) || !isVowel(word, last - 1) || isVowel(word, last - 2)) return false;
  const c = word[last];
  return c !== 'w' && c !== 'x' && c !== 'y';
}

function plural(word: string): string {
  if (!word.endsWith('s')) return word;
  if (word.endsWith('sses') || word.endsWith('ies')) return word.slice(0, -2);
  return word.endsWith('ss') ? word : word.slice(0, -1);
}

function pastAndGerund(word: string): string {
  if (word.endsWith('eed')) return measure(word, word.length - 3) > 0 ? word.slice(0, -1) : word;
  let stem: string;
  if (word.endsWith('ed') && hasVowel(word, word.length - 2)) stem = word.slice(0, -2);
  else if (word.endsWith('ing') && hasVowel(word, word.length - 3)) stem = word.slice(0, -3);
  else return word;
  if (stem.endsWith('at') || stem.endsWith('bl') || stem.endsWith('iz')) return `${stem}e`;
  if (endsInDouble(stem)) return /[lsz]$/.test(stem) ? stem : stem.slice(0, -1);
  return measure(stem, stem.length) === 1 && endsInShortSyllable(stem, stem.length) ? `${stem}e` : stem;
}

function finalY(word: string): string {
  return word.endsWith('y') && hasVowel(word, word.length - 1) ? `${word.slice(0, -1)}i` : word;
}

type Rules = readonly (readonly [suffix: string, replacement: string])[];

const DOUBLE_SUFFIXES: Rules = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['bli', 'ble'],
  ['alli', 'al'],
  ['entli', 'ent'],
  ['eli', 'e'],
  ['ousli', 'ous'],
  ['ization', 'ize'],
  ['ation', 'ate'],
  ['ator', 'ate'],
  ['alism', 'al'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['biliti', 'ble'],
  ['logi', 'log'],
];

const FURTHER_SUFFIXES: Rules = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ful', ''],
  ['ness', ''],
];

/** Only the first matching suffix counts, whether or not its condition holds. */
function replaceSuffix(word: string, rules: Rules): string {
  for (const [suffix, replacement] of rules) {
    if (!word.endsWith(suffix)) continue;
    const end = word.length - suffix.length;
    return measure(word, end) > 0 ? word.slice(0, end) + replacement : word;
  }
  return word;
}

const LAST_SUFFIXES = [
  'al',
  'ance',
  'ence',
  'er',
  'ic',
  'able',
  'ible',
  'ant',
  'ement',
  'ment',
  'ent',
  'ion',
  'ou',
  'ism',
  'ate',
  'iti',
  'ous',
  'ive',
  'ize',
] as const;

function removeSuffix(word: string): string {
  for (const suffix of LAST_SUFFIXES) {
    if (!word.endsWith(suffix)) continue;
    const end = word.length - suffix.length;
    if (suffix === 'ion' && !/[st]$/.test(word.slice(0, end))) continue;
    return measure(word, end) > 1 ? word.slice(0, end) : word;
  }
  return word;
}

function tidyUp(word: string): string {
  let result = word;
  if (result.endsWith('e')) {
    const end = result.length - 1;
    const m = measure(result, end);
    if (m > 1 || (m === 1 && !endsInShortSyllable(result, end))) result = result.slice(0, -1);
  }
  if (result.endsWith('ll') && measure(result, result.length) > 1) result = result.slice(0, -1);
  return result;
}

/** The stem of a lower-case word. Words of one or two letters are unchanged. */
export function porterStem(word: string): string {
  if (word.length <= 2) return word;
  const base = finalY(pastAndGerund(plural(word)));
  return tidyUp(removeSuffix(replaceSuffix(replaceSuffix(base, DOUBLE_SUFFIXES), FURTHER_SUFFIXES)));
}
