// The `u` flag makes \p{Surrogate} match only halves that stand alone.
const UNSTORABLE = /[\0\p{Surrogate}]/u;

/**
 * True for text that SQLite gives back as it was. It stores UTF-8, which has no lone surrogates, and some drivers end a
 * text at its first NUL. JSON text has neither, as `JSON.stringify` escapes both; ids and names are checked with this.
 */
export function isStorableText(text: string): boolean {
  return !UNSTORABLE.test(text);
}
