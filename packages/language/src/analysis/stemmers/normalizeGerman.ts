/** After these letters "ue" is not a spelling of "ü". */
const VOWELS = /[aeiouqyäöü]/;

/**
 * Unifies spellings of a German word (the rules of Snowball's stemmer "german2", including ß and umlauts): "ß" becomes
 * "ss", umlauts lose their dots, and "ae", "oe" and "ue" their "e". After a vowel or "q" a "ue" is not an umlaut:
 * "Treue", "Quelle".
 */
export function normalizeGerman(word: string): string {
  if (!/e|[äöüß]/.test(word)) return word;
  let written = '';
  let opensUmlaut = false;
  for (let i = 0; i < word.length; i += 1) {
    const letter = word[i] as string;
    if (letter === 'e' && opensUmlaut) opensUmlaut = false;
    else {
      written += PLAIN.get(letter) ?? letter;
      const isAfterVowel = i > 0 && VOWELS.test(word[i - 1] as string);
      opensUmlaut = letter === 'a' || letter === 'o' || (letter === 'u' && !isAfterVowel);
    }
  }
  return written;
}

const PLAIN: ReadonlyMap<string, string> = new Map([
  ['ä', 'a'],
  ['ö', 'o'],
  ['ü', 'u'],
  ['ß', 'ss'],
]);
