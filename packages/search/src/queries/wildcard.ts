/*
 * Patterns of `wildcard`: `?` one character, `*` any characters, `\` makes the next one literal. Matched greedily,
 * backtracking to the last `*` only, so the cost is at most length × length for any pattern.
 */

const ONE = -1;
const ANY = -2;

/** A compiled pattern. */
export interface WildcardPattern {
  /** The common prefix of all matches. */
  readonly prefix: string;
  readonly matches: (text: string) => boolean;
}

/** @param foldCase applied to the literal characters, and by the caller to the strings */
export function parseWildcard(pattern: string, foldCase: (text: string) => string): WildcardPattern {
  const parts: number[] = [];
  let prefix = '';
  let isPrefix = true;
  const characters = [...pattern];
  for (let i = 0; i < characters.length; i += 1) {
    let c = characters[i] as string;
    if (c === '*' || c === '?') {
      isPrefix = false;
      if (c === '?') parts.push(ONE);
      else if (parts.at(-1) !== ANY) parts.push(ANY);
      continue;
    }
    if (c === '\\' && i + 1 < characters.length) c = characters[(i += 1)] as string;
    const folded = foldCase(c);
    if (isPrefix) prefix += folded;
    parts.push(folded.codePointAt(0) as number);
  }
  return { prefix, matches: (text) => matchesParts(parts, text) };
}

function matchesParts(parts: readonly number[], text: string): boolean {
  let at = 0;
  let part = 0;
  let starPart = -1;
  let starAt = 0;
  while (at < text.length) {
    const c = text.codePointAt(at) as number;
    const wanted = parts[part];
    if (wanted === ANY) {
      starPart = part;
      starAt = at;
      part += 1;
    } else if (wanted === ONE || wanted === c) {
      at += c > 0xffff ? 2 : 1;
      part += 1;
    } else if (starPart >= 0) {
      starAt += (text.codePointAt(starAt) as number) > 0xffff ? 2 : 1;
      at = starAt;
      part = starPart + 1;
    } else {
      return false;
    }
  }
  while (parts[part] === ANY) part += 1;
  return part === parts.length;
}

/** Folds the case of ASCII letters only, as `case_insensitive` does. */
export function foldAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
