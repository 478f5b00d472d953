/** Removes the English genitive from a word: "dog's" → "dog". */
export function withoutPossessive(word: string): string {
  return /['\u2019\uFF07][sS]$/.test(word) ? word.slice(0, -2) : word;
}
