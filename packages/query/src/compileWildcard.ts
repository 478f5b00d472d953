/*
 * Patterns with `*` (field names, `_source`). Not a regular expression, in which `*a*a*a*…` would backtrack
 * exponentially. Greedy with a single backtrack point, which is enough for `*` and costs at most length × length.
 */
export function compileWildcard(pattern: string): (text: string) => boolean {
  if (!pattern.includes('*')) return (text) => text === pattern;
  const parts = pattern.split('*');
  const first = parts[0] ?? '';
  const last = parts.at(-1) ?? '';
  const middle = parts.slice(1, -1).filter((part) => part !== '');
  return (text) => {
    if (text.length < first.length + last.length) return false;
    if (!text.startsWith(first) || !text.endsWith(last)) return false;
    let at = first.length;
    const end = text.length - last.length;
    for (const part of middle) {
      const found = text.indexOf(part, at);
      if (found < 0 || found + part.length > end) return false;
      at = found + part.length;
    }
    return at <= end;
  };
}
