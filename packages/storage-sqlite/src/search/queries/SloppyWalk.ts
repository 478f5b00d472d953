import type { PhrasePart, PlacedPart } from './phraseFrequency.js';

/*
 * The parts of a phrase on their way through a document, as Lucene moves them on: always the one that is furthest behind,
 * by a queue. Parts with the same term start on different tokens; where two meet later, the one behind moves on until it
 * meets none, and what stands in the queue is put in again. That happens to a queue whose order is broken by then, and
 * Lucene's numbers depend on it where a word is there three times, so the queue is the same heap.
 */
export class SloppyWalk {
  isOver = false;
  /** The part furthest behind, where it stood before it overtook another. */
  lead: PlacedPart = { part: -1, token: -1 };
  /** False where a part has too few tokens. */
  readonly isReady: boolean;
  private readonly cursors: Int32Array;
  private readonly queue: number[] = [];
  private readonly repeats: readonly (readonly number[])[];
  private end = -Infinity;

  constructor(private readonly parts: readonly PhrasePart[]) {
    this.cursors = new Int32Array(parts.length);
    this.repeats = repeatsOf(parts);
    this.isReady = parts.every(({ positions }) => positions.length > 0) && this.separateRepeats();
    if (!this.isReady) return;
    for (let part = 0; part < parts.length; part += 1) {
      this.end = Math.max(this.end, this.placeOf(part));
      this.push(part);
    }
  }

  /** Moves on until the part furthest behind overtakes another one. @returns the least spread on the way */
  nextSpread(): number {
    const part = this.pop();
    const next = this.queue[0] === undefined ? Infinity : this.placeOf(this.queue[0]);
    let spread = this.end - this.placeOf(part);
    for (;;) {
      this.lead = { part, token: this.cursors[part] as number };
      if (!this.advance(part) || !this.separate(part)) {
        this.isOver = true;
        return spread;
      }
      const place = this.placeOf(part);
      if (place > next) {
        this.push(part);
        return spread;
      }
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

  private advance(part: number): boolean {
    const cursor = (this.cursors[part] as number) + 1;
    if (cursor >= (this.parts[part] as PhrasePart).positions.length) return false;
    this.cursors[part] = cursor;
    this.end = Math.max(this.end, this.placeOf(part));
    return true;
  }

  /** Puts parts of the same term on different tokens to start with. @returns false where there are too few */
  private separateRepeats(): boolean {
    const isStraight = !this.repeats.some((group) =>
      group.some((part) => (this.parts[part] as PhrasePart).isChoice),
    );
    const isDone = this.repeats.every((group) =>
      isStraight ? this.putInRow(group) : this.putApart(group),
    );
    this.end = -Infinity;
    return isDone;
  }

  private putInRow(group: readonly number[]): boolean {
    return group.every((part, at) => {
      this.cursors[part] = at;
      return at < (this.parts[part] as PhrasePart).positions.length;
    });
  }

  private putApart(group: readonly number[]): boolean {
    for (let at = 0; at < group.length;) {
      const part = group[at] as number;
      let isMet = false;
      for (let other = this.met(part, group); other !== -1; other = this.met(part, group)) {
        const behind = this.lesser(part, other);
        if (!this.advance(behind)) return false;
        isMet = group.indexOf(behind) < at;
        if (isMet) break;
      }
      // One before it has moved: they are looked at again.
      if (!isMet) at += 1;
    }
    return true;
  }

  /** Moves parts of the same term apart. @returns false where there are too few tokens */
  private separate(moved: number): boolean {
    const group = this.repeats.find((each) => each.includes(moved));
    if (group === undefined) return true;
    const own = group.indexOf(moved);
    const met = new Set<number>();
    let part = moved;
    for (let other = this.met(part, group); other !== -1; other = this.met(part, group)) {
      const at = group.indexOf(other);
      part = this.lesser(part, other);
      if (!this.advance(part)) return false;
      if (at !== own) met.add(at);
    }
    this.requeue(met);
    return true;
  }

  /** @param met which of a group, by their number in it; Lucene takes the same number of another group for it */
  private requeue(met: Set<number>): void {
    const taken: number[] = [];
    while (met.size > 0) {
      const part = this.pop();
      taken.push(part);
      const at = this.repeats.find((group) => group.includes(part))?.indexOf(part);
      if (at !== undefined) met.delete(at);
    }
    while (taken.length > 0) this.push(taken.pop() as number);
  }

  /** The first other part of the group on the same token; -1 for none. */
  private met(part: number, group: readonly number[]): number {
    const position = this.positionOf(part);
    return group.find((other) => other !== part && this.positionOf(other) === position) ?? -1;
  }

  private lesser(a: number, b: number): number {
    const [here, there] = [this.placeOf(a), this.placeOf(b)];
    return here < there || (here === there && this.offsetOf(a) < this.offsetOf(b)) ? a : b;
  }

  private offsetOf(part: number): number {
    return (this.parts[part] as PhrasePart).offset;
  }

  private isBefore(a: number, b: number): boolean {
    const difference = this.placeOf(a) - this.placeOf(b) || this.offsetOf(a) - this.offsetOf(b);
    return difference < 0 || (difference === 0 && a < b);
  }

  private push(part: number): void {
    const { queue } = this;
    let at = queue.push(part) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!this.isBefore(part, queue[above] as number)) break;
      queue[at] = queue[above] as number;
      at = above;
    }
    queue[at] = part;
  }

  private pop(): number {
    const { queue } = this;
    const top = queue[0] as number;
    const last = queue.pop() as number;
    if (queue.length === 0) return top;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= queue.length) break;
      const right = below + 1;
      if (right < queue.length && this.isBefore(queue[right] as number, queue[below] as number))
        below = right;
      if (!this.isBefore(queue[below] as number, last)) break;
      queue[at] = queue[below] as number;
      at = below;
    }
    queue[at] = last;
    return top;
  }
}

const NONE: readonly (readonly number[])[] = [];

/** The parts that share a term with another, by their group. */
function repeatsOf(parts: readonly PhrasePart[]): readonly (readonly number[])[] {
  // Made for each document that has all terms, of a phrase that mostly repeats none.
  const isRepeated = (group: number, part: number) =>
    parts.some((other, at) => at < part && other.group === group);
  if (!parts.some(({ group }, part) => isRepeated(group, part))) return NONE;
  const groups = new Map<number, number[]>();
  parts.forEach(({ group }, part) => {
    const known = groups.get(group);
    if (known === undefined) groups.set(group, [part]);
    else known.push(part);
  });
  return [...groups.values()].filter((group) => group.length > 1);
}
