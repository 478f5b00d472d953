/** A suffix that a stemmer replaces in words of a minimum length. */
export type SuffixRule = readonly [minLength: number, suffix: string, replacement: string];

/** Replaces the suffix of the first rule that applies; undefined if none does. */
export function replaceSuffix(word: string, rules: readonly SuffixRule[]): string | undefined {
  for (const [minLength, suffix, replacement] of rules) {
    if (word.length >= minLength && word.endsWith(suffix))
      return word.slice(0, word.length - suffix.length) + replacement;
  }
  return undefined;
}

/** A function that replaces letters by others; `pairs` such as `àa éc`. */
export function letterWriter(pairs: string): (word: string) => string {
  const letters = new Map(pairs.split(' ').map((pair) => [pair[0] ?? '', pair.slice(1)]));
  const pattern = new RegExp(`[${[...letters.keys()].join('')}]`, 'g');
  return (word) => word.replace(pattern, (letter) => letters.get(letter) ?? letter);
}
