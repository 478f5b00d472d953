/** The tokens of one text. The analyzers fill it; it is reused, so that indexing allocates no list per value. */
export class TokenList {
  readonly terms: string[] = [];
  /** Position of each term, counted from 0; a removed stop word leaves a gap. */
  readonly positions: number[] = [];

  get length(): number {
    return this.terms.length;
  }

  add(term: string, position: number): void {
    this.terms.push(term);
    this.positions.push(position);
  }

  clear(): void {
    this.terms.length = 0;
    this.positions.length = 0;
  }
}
