// With the `u` flag \p{Surrogate} matches only lone surrogates.
const UNSTORABLE = /[\0\p{Surrogate}]/u;

/**
 * True for a string that SQLite returns unchanged. It stores UTF-8, which has no lone surrogates, and some drivers end
 * a string at its first NUL. JSON text has neither, as `JSON.stringify` escapes both; this function checks ids and
 * names.
 */
export function isStorableText(text: string): boolean {
  return !UNSTORABLE.test(text);
}
