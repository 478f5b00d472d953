/** The tokens of one text value. Filled by the analyzers; reused, so that indexing allocates no list per value. */
export class TokenList {
  readonly terms: string[] = [];
  /** Position of each term, counted from 0; a removed stop word leaves a gap. */
  readonly positions: number[] = [];

  get length(): number {
    return this.terms.length;
  }

  /** @param _start offset of the token, for lists that keep it @param _end offset after its last character */
  add(term: string, position: number, _start: number, _end: number): void {
    this.terms.push(term);
    this.positions.push(position);
  }

  clear(): void {
    this.terms.length = 0;
    this.positions.length = 0;
  }
}
