/* Light stemmers: each gives the stem of a word in lower case. */

/** A suffix that a stemmer replaces in words of a minimum length. */
type SuffixRule = readonly [minLength: number, suffix: string, replacement: string];

/** Replaces the suffix of the first rule that applies; undefined if none does. */
function replaceSuffix(word: string, rules: readonly SuffixRule[]): string | undefined {
  for (const [minLength, suffix, replacement] of rules) {
    if (word.length >= minLength && word.endsWith(suffix))
      return word.slice(0, word.length - suffix.length) + replacement;
  }
  return undefined;
}

/** A function that replaces letters by others; `pairs` such as `àa éc`. */
function letterWriter(pairs: string): (word: string) => string {
  const letters = new Map(pairs.split(' ').map((pair) => [pair[0] ?? '', pair.slice(1)]));
  const pattern = new RegExp(`[${[...letters.keys()].join('')}]`, 'g');
  return (word) => word.replace(pattern, (letter) => letters.get(letter) ?? letter);
}

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

const toPlainFrench = letterWriter('àa áa âa ôo èe ée êe ùu ûu îi çc');

/**
 * Jacques Savoy's light stemmer for French ("A stemming procedure and stopword list for general French corpora", 1999;
 * the revised suffixes of "Light stemming approaches for the French, Portuguese, German and Hungarian languages",
 * 2006): plurals, the suffix of a derivation, then accents, doubled letters and the endings of number and gender.
 */
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
  let stem = toPlainFrench(word).replace(/(\p{L})\1+/gu, '$1');
  if (stem.length > 4 && stem.endsWith('ie')) stem = stem.slice(0, -2);
  if (stem.length <= 4) return stem;
  if (stem.endsWith('r')) stem = stem.slice(0, -1);
  if (stem.endsWith('e')) stem = stem.slice(0, -1);
  if (stem.endsWith('e')) stem = stem.slice(0, -1);
  return /(\p{L})\1$/u.test(stem) ? stem.slice(0, -1) : stem;
}

const toPlainGerman = letterWriter('äa àa áa âa öo òo óo ôo ïi ìi íi îi üu ùu úu ûu');

/**
 * Jacques Savoy's light stemmer for German ("Light stemming approaches for the French, Portuguese, German and Hungarian
 * languages", 2006): accents, then the endings of number and case, then those of comparison.
 */
export function stemGermanLightly(word: string): string {
  return withoutComparison(withoutCase(toPlainGerman(word)));
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

const toPlainLetters = letterWriter('àa áa âa äa òo óo ôo öo èe ée êe ëe ùu úu ûu üu ìi íi îi ïi');

/**
 * Jacques Savoy's light stemmer for Italian ("Report on CLEF-2001 experiments", 2002): accents, then the endings of number
 * and gender.
 */
export function stemItalianLightly(word: string): string {
  if (word.length < 6) return word;
  const stem = toPlainLetters(word);
  if (/([ih][ei]|i[ao])$/.test(stem)) return stem.slice(0, -2);
  return /[eiao]$/.test(stem) ? stem.slice(0, -1) : stem;
}

/**
 * Jacques Savoy's light stemmer for Spanish ("Report on CLEF-2001 experiments", 2002): accents, then the endings of number
 * and gender.
 */
export function stemSpanishLightly(word: string): string {
  if (word.length < 5) return word;
  const stem = toPlainLetters(word);
  if (/[oae]$/.test(stem)) return stem.slice(0, -1);
  if (stem.endsWith('eses')) return stem.slice(0, -2);
  if (stem.endsWith('ces')) return `${stem.slice(0, -3)}z`;
  return /[oae]s$/.test(stem) ? stem.slice(0, -2) : stem;
}

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

const toPlainPortuguese = letterWriter('àa áa âa äa ãa òo óo ôo öo õo èe ée êe ëe ùu úu ûu üu ìi íi îi ïi çc');

/**
 * Jacques Savoy's light stemmer for Portuguese ("Light stemming approaches for the French, Portuguese, German and Hungarian
 * languages", 2006): plurals and adverbs, then feminine forms, the last vowel and accents.
 */
export function stemPortugueseLightly(word: string): string {
  if (word.length < 4) return word;
  let stem = replaceSuffix(word, PLURALS) ?? word;
  stem = replaceSuffix(stem, FEMININES) ?? stem;
  if (stem.length > 4 && /[eao]$/.test(stem)) stem = stem.slice(0, -1);
  return toPlainPortuguese(stem);
}
