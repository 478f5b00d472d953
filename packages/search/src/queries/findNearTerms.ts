/*
 * Finds the terms of a dictionary within a few edits of a word.
 *
 * Terms are visited in order, and a row of the distance table is kept for each character of the current term, so the
 * next term starts from the row of their common prefix. If no entry of a row is within the limit (with swaps: of two
 * rows), no term with this prefix is near, and all of them are skipped. So a word takes some hundred rows instead of a
 * table per term: 900 words against 20,000 terms took 30 s before.
 */
import type { TermDictionary } from '../columns/TermDictionary.js';

/** Limits for near terms. */
export interface NearTermOptions {
  /** Permitted edits. */
  readonly limit: number;
  /** Whether a swap of neighbours counts as one edit instead of two. */
  readonly transpositions: boolean;
  /** Range of ranks to visit: start inclusive, end exclusive. */
  readonly ranks: readonly [from: number, to: number];
  /** Called regularly, to end a search that has reached its deadline. */
  readonly check: () => void;
}

/** A term within the limit. */
export interface NearTerm {
  readonly term: string;
  readonly code: number;
  readonly edits: number;
  /** In characters. */
  readonly length: number;
}

/** In term order. */
export function findNearTerms(
  dictionary: TermDictionary,
  word: readonly string[],
  { limit, transpositions, ranks: [from, to], check }: NearTermOptions,
): NearTerm[] {
  const order = dictionary.inOrder();
  const table = new DistanceTable(word, limit, transpositions);
  const found: NearTerm[] = [];
  let visits = 0;
  let rank = from;
  while (rank < to) {
    if ((visits++ & 255) === 0) check();
    const code = order[rank] as number;
    const term = dictionary.term(code);
    const characters = [...term];
    const dead = table.walk(characters);
    if (dead === undefined) {
      const edits = table.distance(characters.length);
      if (edits <= limit) found.push({ term, code, edits, length: characters.length });
      rank += 1;
    } else {
      rank = dictionary.ranksOfPrefix(characters.slice(0, dead).join(''))[1];
    }
  }
  return found;
}

/**
 * The rows of the current term: row `d` contains the distances of its first `d` characters to each prefix of the word.
 */
class DistanceTable {
  private readonly rows: Uint16Array[] = [];
  private readonly least: number[] = [0];
  private path: readonly string[] = [];
  private depth = 0;
  private readonly tooFar: number;

  constructor(
    private readonly word: readonly string[],
    private readonly limit: number,
    private readonly transpositions: boolean,
  ) {
    this.tooFar = limit + 1;
    const first = this.newRow();
    for (let j = 0; j <= Math.min(word.length, limit); j += 1) first[j] = j;
    this.rows.push(first);
  }

  /** Computes the rows of a term. @returns the length of a prefix that no near term has; undefined: none */
  walk(characters: readonly string[]): number | undefined {
    const { path } = this;
    let shared = 0;
    const most = Math.min(this.depth, characters.length);
    while (shared < most && characters[shared] === path[shared]) shared += 1;
    this.path = characters;
    for (let depth = shared + 1; depth <= characters.length; depth += 1) {
      this.compute(depth, characters);
      const isDead = this.isFar(depth) && (!this.transpositions || this.isFar(depth - 1));
      this.depth = depth;
      if (isDead) return depth;
    }
    this.depth = characters.length;
    return undefined;
  }

  /** Distance of the whole word to the first `depth` characters; above the limit if it is larger. */
  distance(depth: number): number {
    return at(this.rows[depth], this.word.length);
  }

  private isFar(depth: number): boolean {
    return (this.least[depth] as number) > this.limit;
  }

  private compute(depth: number, characters: readonly string[]): void {
    const { word, limit, tooFar, rows } = this;
    const row = (rows[depth] ??= this.newRow());
    const previous = rows[depth - 1];
    const from = Math.max(1, depth - limit);
    const to = Math.min(word.length, depth + limit);
    row[0] = Math.min(depth, tooFar);
    // Entries outside the band are too far; the row may contain values of an earlier term.
    if (from > 1) row[from - 1] = tooFar;
    let least = from === 1 ? row[0] : tooFar;
    for (let j = from; j <= to; j += 1) {
      const isSame = characters[depth - 1] === word[j - 1];
      let cost = Math.min(at(previous, j - 1) + (isSame ? 0 : 1), at(previous, j) + 1, at(row, j - 1) + 1);
      if (this.isSwap(depth, j, characters)) cost = Math.min(cost, at(rows[depth - 2], j - 2) + 1);
      row[j] = Math.min(cost, tooFar);
      least = Math.min(least, cost);
    }
    for (let j = to + 1; j <= Math.min(word.length, to + 2); j += 1) row[j] = tooFar;
    if (depth - limit > word.length) row[word.length] = tooFar;
    this.least[depth] = least;
  }

  private isSwap(depth: number, j: number, characters: readonly string[]): boolean {
    if (!this.transpositions || depth < 2 || j < 2) return false;
    const { word } = this;
    return characters[depth - 1] === word[j - 2] && characters[depth - 2] === word[j - 1];
  }

  private newRow(): Uint16Array {
    return new Uint16Array(this.word.length + 1).fill(this.tooFar);
  }
}

function at(row: Uint16Array | undefined, j: number): number {
  return row?.[j] as number;
}
