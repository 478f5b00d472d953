import { stemmer as dutch } from '@orama/stemmers/dutch';
import { stemmer as french } from '@orama/stemmers/french';
import { stemmer as german } from '@orama/stemmers/german';
import { stemmer as italian } from '@orama/stemmers/italian';
import { stemmer as portuguese } from '@orama/stemmers/portuguese';
import { stemmer as spanish } from '@orama/stemmers/spanish';
import {
  stemFrenchLightly,
  stemGermanLightly,
  stemItalianLightly,
  stemPortugueseLightly,
  stemSpanishLightly,
} from './lightStemmers.js';
import { porterStem } from './porterStem.js';

/** The stem of a word in lower case. */
export type Stemmer = (word: string) => string;

/** Values of `language` of the filter `stemmer`. Names without `light_` are Snowball's, `english` is Porter's. */
export const STEMMERS: ReadonlyMap<string, Stemmer> = new Map<string, Stemmer>([
  ['english', remembering(porterStem)],
  ['possessive_english', withoutPossessive],
  ['french', remembering(french)],
  ['light_french', remembering(stemFrenchLightly)],
  ['german', remembering(german)],
  ['light_german', remembering(stemGermanLightly)],
  ['spanish', remembering(spanish)],
  ['light_spanish', remembering(stemSpanishLightly)],
  ['italian', remembering(italian)],
  ['light_italian', remembering(stemItalianLightly)],
  ['portuguese', remembering(portuguese)],
  ['light_portuguese', remembering(stemPortugueseLightly)],
  ['dutch', remembering(dutch)],
]);

/** Removes the English genitive from a word: "dog's" → "dog". */
export function withoutPossessive(word: string): string {
  return /['\u2019\uFF07][sS]$/.test(word) ? word.slice(0, -2) : word;
}

/** @throws Error for a name that is not in `STEMMERS` */
export function stemmerOf(language: string): Stemmer {
  const stemmer = STEMMERS.get(language);
  if (stemmer === undefined) throw new Error(`No stemmer "${language}"`);
  return stemmer;
}

/**
 * Caches stems, which repeat often; cleared when it has too many entries. Long words rarely repeat and aren't cached.
 */
const MAX_STEMS = 50_000;
const MAX_KEPT_LENGTH = 40;

function remembering(stemmer: Stemmer): Stemmer {
  const stems = new Map<string, string>();
  return (word) => {
    if (word.length > MAX_KEPT_LENGTH) return stemmer(word);
    let stem = stems.get(word);
    if (stem === undefined) {
      stem = stemmer(word);
      if (stems.size >= MAX_STEMS) stems.clear();
      stems.set(word, stem);
    }
    return stem;
  };
}
