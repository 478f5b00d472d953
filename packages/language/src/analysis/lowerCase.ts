/** Letters that JavaScript maps by context or to two letters, and Lucene maps one to one. */
const IRREGULAR = /[\u0130\u03A3]/;

/** Lower case, mapping code points one to one, as Lucene's filter does. */
export function lowerCase(text: string): string {
  if (!IRREGULAR.test(text)) return text.toLowerCase();
  return text.replaceAll('\u0130', 'i').replaceAll('\u03A3', '\u03C3').toLowerCase();
}
