/*
 * How often a phrase occurs in a document, as Lucene counts it. A part of the phrase has a place in it (`offset`); the
 * positions of its terms in the document, less that offset, are equal for all parts where the phrase stands as it is.
 * Without slop: count the positions that all parts share. With slop: move the part that is furthest behind, and take note
 * of the spread each time it overtakes another; a spread of s within the slop counts 1 / (1 + s). Parts with the same term
 * must not use the same token, so one of two that meet is moved on.
 */

/** One part of a phrase in one document. */
export interface PhrasePart {
  readonly offset: number;
  /** Ascending positions in the document. */
  readonly positions: readonly number[];
  /** Equal for parts with the same terms. */
  readonly group: number;
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

class SloppyWalk {
  isOver = false;
  /** The part furthest behind, where it stood before it overtook another. */
  lead: PlacedPart = { part: -1, token: -1 };
  readonly isReady: boolean;
  private readonly cursors: Int32Array;
  private end = -Infinity;

  constructor(private readonly parts: readonly PhrasePart[]) {
    this.cursors = new Int32Array(parts.length);
    this.isReady =
      parts.every(({ positions }) => positions.length > 0) &&
      parts.every((_, i) => this.separate(i));
    parts.forEach((_, i) => {
      this.end = Math.max(this.end, this.placeOf(i));
    });
  }

  /** Moves on until the part furthest behind overtakes another one. @returns the least spread on the way */
  nextSpread(): number {
    const part = this.furthestBehind(-1);
    const next = this.placeOf(this.furthestBehind(part));
    let spread = this.end - this.placeOf(part);
    for (;;) {
      this.lead = { part, token: this.cursors[part] as number };
      if (!this.advance(part) || !this.separate(part)) {
        this.isOver = true;
        return spread;
      }
      const place = this.placeOf(part);
      this.end = Math.max(this.end, place);
      if (place > next) return spread;
      spread = Math.min(spread, this.end - place);
    }
  }

  /** Where each part stands now. */
  places(): readonly PlacedPart[] {
    return Array.from(this.cursors, (token, part) => ({ part, token }));
  }

  /** Position less offset, where the part stands now. */
  private placeOf(part: number): number {
    return this.positionOf(part) - (this.parts[part] as PhrasePart).offset;
  }

  private positionOf(part: number): number {
    return (this.parts[part] as PhrasePart).positions[this.cursors[part] as number] as number;
  }

  private furthestBehind(except: number): number {
    let found = -1;
    for (let i = 0; i < this.parts.length; i += 1) {
      if (i === except) continue;
      if (found === -1 || this.placeOf(i) < this.placeOf(found)) found = i;
    }
    return found;
  }

  private advance(part: number): boolean {
    const cursor = (this.cursors[part] as number) + 1;
    if (cursor >= (this.parts[part] as PhrasePart).positions.length) return false;
    this.cursors[part] = cursor;
    return true;
  }

  /** Moves parts of the same term apart. @returns false where there are too few tokens */
  private separate(moved: number): boolean {
    for (;;) {
      const other = this.collision(moved);
      if (other === -1) return true;
      // The one that is behind gives way, as in Lucene.
      const isMovedBehind = this.placeOf(moved) <= this.placeOf(other);
      const behind = isMovedBehind ? moved : other;
      if (!this.advance(behind)) return false;
      this.end = Math.max(this.end, this.placeOf(behind));
    }
  }

  private collision(part: number): number {
    const { group } = this.parts[part] as PhrasePart;
    const position = this.positionOf(part);
    return this.parts.findIndex(
      (other, i) => i !== part && other.group === group && this.positionOf(i) === position,
    );
  }
}
