/*
 * The patterns that the tokenizer `pattern` splits by. Regular expressions of users would run over documents for as long as
 * their authors like, and differ between Java and JavaScript; one set of characters, once or repeated, or a string says what
 * texts are split by in practice, takes time in proportion to the text, and means the same on both engines.
 */

/** What to write, for messages. */
export const SEPARATOR_FORM =
  'characters to split by: a string such as "," or ", ", one of \\W \\s \\d \\D \\S \\w, or a set such as [,;\\s], each alone or with "+" after it';

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

/** The pattern as a global regular expression; undefined where it is of another form. */
export function compileSeparator(pattern: string): RegExp | undefined {
  const source = readSet(pattern) ?? readClass(pattern) ?? readString(pattern);
  return source === undefined ? undefined : new RegExp(source, 'gu');
}

/** `\W`, `\s+`. */
function readClass(pattern: string): string | undefined {
  const [, letter, sign = ''] = /^\\([wdsWDS])(\+?)$/.exec(pattern) ?? [];
  if (letter === undefined) return undefined;
  const characters = CLASSES.get(letter.toLowerCase()) ?? '';
  const isNegated = letter !== letter.toLowerCase();
  return `[${isNegated ? '^' : ''}${characters}]${sign}`;
}

/** `[,;\s]+`. Brackets and `&&` within would be more than a set in Java. */
function readSet(pattern: string): string | undefined {
  const [, negation = '', inner, sign = ''] =
    /^\[(\^?)((?:[^[\]\\&^]|\\[^])+)\](\+?)$/u.exec(pattern) ?? [];
  if (inner === undefined) return undefined;
  let written = '';
  for (const [item] of inner.matchAll(/\\?[^]/gu)) {
    if (item === '-') {
      written += '-';
      continue;
    }
    const one = characterOf(item, true);
    if (one === undefined) return undefined;
    written += one;
  }
  const source = `[${negation}${written}]${sign}`;
  return isRegExp(source) ? source : undefined;
}

/** `,` or `, ` as they are; `\|`, `,+`. */
function readString(pattern: string): string | undefined {
  const [, inner, sign = ''] = /^((?:[^$()*+.?[\\\]^{|}]|\\[^])+)(\+?)$/u.exec(pattern) ?? [];
  if (inner === undefined) return undefined;
  const items = Array.from(inner.matchAll(/\\?[^]/gu), ([item]) => characterOf(item, false));
  if (items.includes(undefined) || (sign === '+' && items.length > 1)) return undefined;
  return `${items.join('')}${sign}`;
}

/** A character for a pattern of JavaScript; undefined for an escape that is none of a sign. */
function characterOf(item: string, isInSet: boolean): string | undefined {
  const escaped = item.length > 1 && item.startsWith('\\') ? item.slice(1) : undefined;
  if (escaped === undefined || !/[A-Za-z0-9]/.test(escaped)) return `\\u{${hex(escaped ?? item)}}`;
  return CONTROLS.get(escaped) ?? (isInSet ? CLASSES.get(escaped) : undefined);
}

function hex(character: string): string {
  return (character.codePointAt(0) as number).toString(16);
}

function isRegExp(source: string): boolean {
  try {
    return new RegExp(source, 'u').source !== '';
  } catch {
    return false;
  }
}
