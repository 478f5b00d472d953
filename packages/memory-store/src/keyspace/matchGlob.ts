/**
 * Design note. Patterns of `keys`: `*`, `?`, `[abc]`, `[^a-z]`, `\x`. Redis tries every continuation of every star,
 * which takes exponential time for `a*a*a*a*b`. Here only the last star is retried: everything before it has matched as
 * early as possible, so no match is lost, and the cost is at most pattern length times string length.
 */
type Token = { readonly kind: 'many' } | { readonly kind: 'one'; readonly takes: (code: number) => boolean };

/** Creates the matcher of a pattern for byte strings. */
export function globMatcher(pattern: string): (text: string) => boolean {
  const tokens = parse(pattern);
  return (text) => matches(tokens, text);
}

function matches(tokens: readonly Token[], text: string): boolean {
  let [at, token] = [0, 0];
  let [starToken, starAt] = [-1, 0];
  while (at < text.length) {
    const current = tokens[token];
    if (current?.kind === 'many') {
      [starToken, starAt] = [token++, at];
    } else if (current?.kind === 'one' && current.takes(text.charCodeAt(at))) {
      at++;
      token++;
    } else if (starToken >= 0) {
      token = starToken + 1;
      at = ++starAt;
    } else return false;
  }
  while (tokens[token]?.kind === 'many') token++;
  return token === tokens.length;
}

function parse(pattern: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at];
    if (character === '*') {
      if (tokens.at(-1)?.kind !== 'many') tokens.push({ kind: 'many' });
    } else if (character === '?') tokens.push({ kind: 'one', takes: () => true });
    else if (character === '[') {
      const { takes, end } = parseClass(pattern, at + 1);
      tokens.push({ kind: 'one', takes });
      at = end;
    } else {
      if (character === '\\' && at + 1 < pattern.length) at++;
      const code = pattern.charCodeAt(at);
      tokens.push({ kind: 'one', takes: (other) => other === code });
    }
  }
  return tokens;
}

/** From after `[` to `]`, or to the end of the pattern if it is not closed. */
function parseClass(pattern: string, start: number) {
  const isNegated = pattern[start] === '^';
  const ranges: [number, number][] = [];
  let at = isNegated ? start + 1 : start;
  for (; at < pattern.length && pattern[at] !== ']'; at++) {
    if (pattern[at] === '\\' && at + 1 < pattern.length) {
      at++;
      ranges.push([pattern.charCodeAt(at), pattern.charCodeAt(at)]);
    } else if (pattern[at + 1] === '-' && at + 2 < pattern.length) {
      const ends = [pattern.charCodeAt(at), pattern.charCodeAt(at + 2)];
      ranges.push([Math.min(...ends), Math.max(...ends)]);
      at += 2;
    } else ranges.push([pattern.charCodeAt(at), pattern.charCodeAt(at)]);
  }
  const takes = (code: number) => ranges.some(([low, high]) => code >= low && code <= high) !== isNegated;
  return { takes, end: at };
}
