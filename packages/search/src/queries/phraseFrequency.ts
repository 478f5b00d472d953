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
 * use different tokens, in the order of the phrase: any other order has a larger spread.
 * @param onWindow called if the spread is within the slop. @param cursors by part: an index into its positions
 */
export function forEachWindow(
  parts: readonly PhrasePart[],
  slop: number,
  onWindow: (spread: number, cursors: Int32Array) => void,
): void {
  const cursors = new Int32Array(parts.length);
  const lastOfGroup = new Int32Array(parts.length);
  for (;;) {
    lastOfGroup.fill(-1);
    let [lead, least, greatest] = [0, Infinity, -Infinity];
    for (let i = 0; i < parts.length; i += 1) {
      const { positions, offset, group } = parts[i] as PhrasePart;
      let at = cursors[i] as number;
      while (at < positions.length && (positions[at] as number) <= (lastOfGroup[group] as number))
        at += 1;
      if (at >= positions.length) return;
      cursors[i] = at;
      const position = positions[at] as number;
      lastOfGroup[group] = position;
      if (position - offset < least) [lead, least] = [i, position - offset];
      greatest = Math.max(greatest, position - offset);
    }
    if (greatest - least <= slop) onWindow(greatest - least, cursors);
    cursors[lead] = (cursors[lead] as number) + 1;
  }
}
