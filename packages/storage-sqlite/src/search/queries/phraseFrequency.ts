/*
 * How often a phrase occurs in a document, as Lucene counts it. A part of the phrase has a place in it (`offset`); the
 * positions of its terms in the document, less that offset, are equal for all parts where the phrase stands as it is.
 * Without slop: count the positions that all parts share. With slop: move the part that is furthest behind, and take note
 * of the spread each time it overtakes another; a spread of s within the slop counts 1 / (1 + s). Parts with the same term
 * must not use the same token, so one of two that meet is moved on: see `SloppyWalk`.
 */
import { SloppyWalk } from './SloppyWalk.js';

/** One part of a phrase in one document. */
export interface PhrasePart {
  readonly offset: number;
  /** Ascending positions in the document. */
  readonly positions: readonly number[];
  /** Equal for parts with the same terms. */
  readonly group: number;
  /** Whether several terms may stand there. */
  readonly isChoice: boolean;
}

/** Every occurrence of the exact phrase counts 1. */
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
  const walk = new SloppyWalk(parts);
  if (!walk.isReady) return 0;
  let frequency = 0;
  for (;;) {
    const spread = walk.nextSpread();
    if (spread <= slop) frequency = Math.fround(frequency + Math.fround(1 / (1 + spread)));
    if (walk.isOver) return frequency;
  }
}

/** Where a part of a phrase stands: the token of its list. */
export interface PlacedPart {
  readonly part: number;
  readonly token: number;
}

/**
 * Finds the occurrences of a phrase with at most `slop` moves, each as narrow as it gets.
 * @param onMatch called with the tokens that mark the ends of an occurrence: those of all parts, and the one that stood
 * furthest behind before it was moved on
 */
export function sloppyOccurrences(
  parts: readonly PhrasePart[],
  slop: number,
  onMatch: (lead: PlacedPart, others: readonly PlacedPart[]) => void,
): void {
  const walk = new SloppyWalk(parts);
  if (!walk.isReady) return;
  do {
    if (walk.nextSpread() <= slop) onMatch(walk.lead, walk.places());
  } while (!walk.isOver);
}
