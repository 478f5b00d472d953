/*
 * Frequency of a phrase in a document. Each part of the phrase has an offset in it; a token's place is its position
 * minus that offset. In an exact occurrence all parts have the same place; with slop, the spread between the lowest and
 * the highest place may be as large as the slop, and an occurrence with spread s counts 1 / (1 + s).
 */

/** One part of a phrase in one document. */
export interface PhrasePart {
  readonly offset: number;
  /** Ascending positions in the document. */
  readonly positions: readonly number[];
  /** Equal for parts that share a term. */
  readonly group: number;
}

/** Counts the occurrences of the exact phrase. */
export function exactFrequency(parts: readonly PhrasePart[]): number {
  const [first, ...others] = parts;
  if (first === undefined) return 0;
  const cursors = new Int32Array(others.length);
  let count = 0;
  for (const position of first.positions) {
    const start = position - first.offset;
    const isThere = others.every((part, i) => {
      const { positions, offset } = part;
      let at = cursors[i] as number;
      while (at < positions.length && (positions[at] as number) - offset < start) at += 1;
      cursors[i] = at;
      return at < positions.length && (positions[at] as number) - offset === start;
    });
    if (isThere) count += 1;
  }
  return count;
}

/** Occurrences of the phrase with at most `slop` moves. */
export function sloppyFrequency(parts: readonly PhrasePart[], slop: number): number {
  let frequency = 0;
  forEachWindow(parts, slop, (spread) => (frequency += 1 / (1 + spread)));
  return frequency;
}

/**
 * Repeatedly advances the part with the lowest place by one token until a part has none left. Parts that share a term
 * use different tokens: of two at the same token, the later part of the phrase advances.
 * @param onWindow called if the spread is within the slop. @param cursors by part: an index into its positions
 */
export function forEachWindow(
  parts: readonly PhrasePart[],
  slop: number,
  onWindow: (spread: number, cursors: Int32Array) => void,
): void {
  const cursors = new Int32Array(parts.length);
  const isShared = new Set(parts.map(({ group }) => group)).size < parts.length;
  for (;;) {
    if (isShared) separate(parts, cursors);
    let [lead, least, greatest] = [0, Infinity, -Infinity];
    for (let i = 0; i < parts.length; i += 1) {
      const { positions, offset } = parts[i] as PhrasePart;
      const position = positions[cursors[i] as number];
      if (position === undefined) return;
      if (position - offset < least) [lead, least] = [i, position - offset];
      greatest = Math.max(greatest, position - offset);
    }
    if (greatest - least <= slop) onWindow(greatest - least, cursors);
    cursors[lead] = (cursors[lead] as number) + 1;
  }
}

/** Advances parts of the same group until no two are at the same token. */
function separate(parts: readonly PhrasePart[], cursors: Int32Array): void {
  const positionOf = (i: number) => parts[i]?.positions[cursors[i] as number];
  for (let i = 1; i < parts.length;) {
    const position = positionOf(i);
    const collides = parts.some(({ group }, j) => j < i && group === parts[i]?.group && positionOf(j) === position);
    if (position === undefined || !collides) i += 1;
    else cursors[i] = (cursors[i] as number) + 1;
  }
}
