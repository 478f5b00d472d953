/**
 * Design note. Members are in the order (score, bytes of the member) in chunks of at most 256, each two flat arrays; a
 * map returns the score of a member. A Fenwick tree over the sizes of the chunks converts ranks to positions and back
 * in O(log n); finding a member is a binary search over chunks and then within one. Adding and removing move at most
 * one chunk's arrays. The tree is rebuilt when a chunk is split or removed, once in at least 128 additions at the same
 * place. Compared with a skip list: no object per member, and ranges are walks over flat arrays.
 */
const CHUNK_SIZE = 256;
const MEMBER_BYTES = 72;

interface Chunk {
  readonly scores: number[];
  readonly members: string[];
}

/** One member with its score. */
export interface Scored {
  readonly member: string;
  readonly score: number;
}

/** A score as stored: Redis keeps no sign of zero in sets of common size. */
export function withoutSign(score: number): number {
  return score + 0;
}

/** A sorted set. */
export class SortedSet {
  readonly type = 'zset';
  private readonly scores = new Map<string, number>();
  private chunks: Chunk[] = [];
  /** Fenwick tree: `sums[i]` (from 1) is the number of members in a run of chunks that ends with chunk i-1. */
  private sums: number[] = [0];
  bytes = 96;

  get size(): number {
    return this.scores.size;
  }

  scoreOf(member: string): number | undefined {
    return this.scores.get(member);
  }

  /** @returns true if the member is new */
  set(member: string, score: number): boolean {
    const old = this.scores.get(member);
    if (old === score) return false;
    if (old !== undefined) this.remove(old, member);
    else this.bytes += MEMBER_BYTES + member.length;
    this.scores.set(member, score);
    this.insert(score, member);
    return old === undefined;
  }

  delete(member: string): boolean {
    const score = this.scores.get(member);
    if (score === undefined) return false;
    this.scores.delete(member);
    this.remove(score, member);
    this.bytes -= MEMBER_BYTES + member.length;
    return true;
  }

  /** Rank from 0 of an existing member. */
  rankOf(member: string): number | undefined {
    const score = this.scores.get(member);
    return score === undefined ? undefined : this.rankBefore((s, m) => isBefore(s, m, score, member));
  }

  /**
   * The number of members for which `isBelow` is true, which must be a run from the front: the rank of the first member
   * after it.
   */
  rankBefore(isBelow: (score: number, member: string) => boolean): number {
    let [low, high] = [0, this.chunks.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const { scores, members } = this.chunks[middle] as Chunk;
      const last = scores.length - 1;
      if (isBelow(scores[last] as number, members[last] as string)) low = middle + 1;
      else high = middle;
    }
    const chunk = this.chunks[low];
    if (chunk === undefined) return this.size;
    return this.countBefore(low) + placeIn(chunk, isBelow);
  }

  /** Members by rank, both inclusive, in ascending order. */
  slice(first: number, last: number): Scored[] {
    return [...this.ranks(first, last)];
  }

  /** As `slice`, one after the other; the set must not be changed in the meantime. */
  *ranks(first: number, last: number): IterableIterator<Scored> {
    if (first > last || first >= this.size) return;
    let [chunkAt, place] = this.placeOfRank(first);
    for (let left = Math.min(last, this.size - 1) - first + 1; left > 0; place++) {
      let chunk = this.chunks[chunkAt] as Chunk;
      if (place >= chunk.scores.length) {
        place = 0;
        chunk = this.chunks[++chunkAt] as Chunk;
      }
      yield { member: chunk.members[place] as string, score: chunk.scores[place] as number };
      left--;
    }
  }

  /** All members in ascending order. */
  *[Symbol.iterator](): Iterator<Scored> {
    for (const { scores, members } of this.chunks)
      for (let at = 0; at < members.length; at++) yield { member: members[at] as string, score: scores[at] as number };
  }

  private insert(score: number, member: string): void {
    const at = this.chunkFor(score, member);
    const chunk = this.chunks[at];
    if (chunk === undefined) {
      this.chunks.push({ scores: [score], members: [member] });
      this.rebuild();
      return;
    }
    const place = placeIn(chunk, (s, m) => isBefore(s, m, score, member));
    chunk.scores.splice(place, 0, score);
    chunk.members.splice(place, 0, member);
    if (chunk.scores.length <= CHUNK_SIZE) {
      this.adjust(at, 1);
      return;
    }
    // A set filled in ascending order leaves full chunks behind.
    const cut = at === this.chunks.length - 1 && place === CHUNK_SIZE ? CHUNK_SIZE : CHUNK_SIZE / 2;
    this.chunks.splice(at + 1, 0, {
      scores: chunk.scores.splice(cut),
      members: chunk.members.splice(cut),
    });
    this.rebuild();
  }

  private remove(score: number, member: string): void {
    const at = this.chunkFor(score, member);
    const chunk = this.chunks[at] as Chunk;
    const place = placeIn(chunk, (s, m) => isBefore(s, m, score, member));
    chunk.scores.splice(place, 1);
    chunk.members.splice(place, 1);
    if (chunk.scores.length > 0) this.adjust(at, -1);
    else {
      this.chunks.splice(at, 1);
      this.rebuild();
    }
  }

  /** The first chunk whose last member does not come before this one, else the last chunk. */
  private chunkFor(score: number, member: string): number {
    let [low, high] = [0, this.chunks.length - 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const { scores, members } = this.chunks[middle] as Chunk;
      const last = scores.length - 1;
      if (isBefore(scores[last] as number, members[last] as string, score, member)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private placeOfRank(rank: number): [number, number] {
    let chunk = 0;
    let left = rank;
    let step = 1;
    while (step * 2 <= this.chunks.length) step *= 2;
    for (; step > 0; step >>= 1) {
      const sum = this.sums[chunk + step];
      if (sum !== undefined && sum <= left && chunk + step <= this.chunks.length) {
        chunk += step;
        left -= sum;
      }
    }
    return [chunk, left];
  }

  private countBefore(chunk: number): number {
    let count = 0;
    for (let at = chunk; at > 0; at -= at & -at) count += this.sums[at] as number;
    return count;
  }

  private adjust(chunk: number, change: number): void {
    for (let at = chunk + 1; at <= this.chunks.length; at += at & -at)
      this.sums[at] = (this.sums[at] as number) + change;
  }

  private rebuild(): void {
    const { chunks } = this;
    this.sums = [0, ...chunks.map(({ scores }) => scores.length)];
    for (let at = 1; at <= chunks.length; at++) {
      const parent = at + (at & -at);
      if (parent <= chunks.length) this.sums[parent] = (this.sums[parent] as number) + (this.sums[at] as number);
    }
  }
}

function isBefore(score: number, member: string, thanScore: number, thanMember: string): boolean {
  return score < thanScore || (score === thanScore && member < thanMember);
}

function placeIn(chunk: Chunk, isBelow: (score: number, member: string) => boolean): number {
  let [low, high] = [0, chunk.scores.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBelow(chunk.scores[middle] as number, chunk.members[middle] as string)) low = middle + 1;
    else high = middle;
  }
  return low;
}
