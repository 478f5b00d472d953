/*
 * Tokens that stand near each other, as Lucene's queries of spans find them: in order, each as near behind the one before
 * as can be; or in any order, by a window that moves on by its first token. What a window has too much of places counts
 * as its slop, so that in any order two neighbours that have changed places are as near as before, and a token that is
 * wanted twice may stand for both.
 */

/** Tokens that are accepted in one place of a phrase: their places in the text, ascending. */
export type TokenPlaces = readonly number[];

/** @param onMatch given, for each place of the phrase, which of its tokens it is */
export function findNear(
  parts: readonly TokenPlaces[],
  slop: number,
  isInOrder: boolean,
  onMatch: (chosen: readonly number[]) => void,
): void {
  if (parts.some((part) => part.length === 0)) return;
  if (isInOrder) findInOrder(parts, slop, onMatch);
  else findInAnyOrder(parts, slop, onMatch);
}

function findInOrder(
  parts: readonly TokenPlaces[],
  slop: number,
  onMatch: (chosen: readonly number[]) => void,
): void {
  const chosen = parts.map(() => 0);
  const [firsts] = parts;
  for (const [at, first] of (firsts ?? []).entries()) {
    chosen[0] = at;
    let before = first;
    let gaps = 0;
    for (let i = 1; i < parts.length; i += 1) {
      const places = parts[i] as TokenPlaces;
      let cursor = chosen[i] as number;
      while (cursor < places.length && (places[cursor] as number) <= before) cursor += 1;
      if (cursor === places.length) return;
      chosen[i] = cursor;
      gaps += (places[cursor] as number) - before - 1;
      before = places[cursor] as number;
    }
    if (gaps <= slop) onMatch(chosen);
  }
}

function findInAnyOrder(
  parts: readonly TokenPlaces[],
  slop: number,
  onMatch: (chosen: readonly number[]) => void,
): void {
  const chosen = parts.map(() => 0);
  const placeOf = (part: number): number => parts[part]?.[chosen[part] as number] as number;
  let highest = Math.max(...chosen.map((_, part) => placeOf(part)));
  for (;;) {
    let first = 0;
    for (let part = 1; part < parts.length; part += 1)
      if (placeOf(part) < placeOf(first)) first = part;
    if (highest - placeOf(first) + 1 - parts.length <= slop) onMatch(chosen);
    const next = (chosen[first] as number) + 1;
    if (next === (parts[first] as TokenPlaces).length) return;
    chosen[first] = next;
    highest = Math.max(highest, placeOf(first));
  }
}
