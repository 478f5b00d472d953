/*
 * Patterns of the tokenizer `pattern`. Arbitrary regular expressions of users could take unbounded time per document,
 * and differ between Java and JavaScript. Characters and sets of characters, the last of which may be repeated, cover
 * the separators used in practice and mean the same on both engines. A match in progress never backtracks, so the time
 * is linear in the length of the text.
 */

/** The supported syntax, for messages. */
export const SEPARATOR_FORM =
  'characters to split by, such as "," or "[,;]\\s*": characters, \\s \\d \\w \\S \\D \\W, and sets such as [a-z,;], "+" or "*" after the last one alone';

const CLASSES: ReadonlyMap<string, string> = new Map([
  ['w', 'A-Za-z0-9_'],
  ['d', '0-9'],
  ['s', ' \\t\\n\\u000B\\f\\r'],
]);
const CONTROLS: ReadonlyMap<string, string> = new Map([
  ['t', '\\t'],
  ['n', '\\n'],
  ['r', '\\r'],
  ['f', '\\f'],
]);

/**
 * A set, an escaped character, or a character without a special meaning. In Java, brackets and `&` are special in a
 * set.
 */
const ITEM = /\[(\^?)((?:[^[\]\\&^]|\\[^])+)\]|\\([^])|[^$()*+.?[\\\]^{|}]/uy;

/** The pattern as a global regular expression; undefined for unsupported forms. */
export function compileSeparator(pattern: string): RegExp | undefined {
  const [body, sign] = /[^\\][+*]$/su.test(pattern) ? [pattern.slice(0, -1), pattern.slice(-1)] : [pattern, ''];
  const sources: string[] = [];
  ITEM.lastIndex = 0;
  for (let at = 0; at < body.length; at = ITEM.lastIndex) {
    const found = ITEM.exec(body);
    if (found === null) return undefined;
    const [item, negation = '', set, escaped] = found;
    const source = set === undefined ? readItem(item, escaped) : readSet(negation, set);
    if (source === undefined) return undefined;
    sources.push(source);
  }
  // A pattern that can be empty would match everywhere.
  if (sources.length === 0 || (sources.length === 1 && sign === '*')) return undefined;
  return new RegExp(`${sources.join('')}${sign}`, 'gu');
}

function readItem(item: string, escaped: string | undefined): string | undefined {
  const letter = escaped?.toLowerCase() ?? '';
  const characters = CLASSES.get(letter);
  if (characters === undefined) return readCharacter(item);
  return `[${escaped === letter ? '' : '^'}${characters}]`;
}

function readSet(negation: string, set: string): string | undefined {
  let written = '';
  for (const [item] of set.matchAll(/\\?[^]/gu)) {
    const one = item === '-' ? '-' : (CLASSES.get(item.slice(1)) ?? readCharacter(item));
    if (one === undefined) return undefined;
    written += one;
  }
  const source = `[${negation}${written}]`;
  try {
    return new RegExp(source, 'u').source;
  } catch {
    // A range whose first character is after its last.
    return undefined;
  }
}

/** A character for a JavaScript pattern; undefined for an unsupported escape. */
function readCharacter(item: string): string | undefined {
  const escaped = item.length > 1 && item.startsWith('\\') ? item.slice(1) : undefined;
  if (escaped !== undefined && /[A-Za-z0-9]/.test(escaped)) return CONTROLS.get(escaped);
  return `\\u{${((escaped ?? item).codePointAt(0) as number).toString(16)}}`;
}
