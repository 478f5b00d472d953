/** Number of terms whose results are cached. */
const MAX_KEPT = 20_000;

/**
 * Cache of the highest score of each requested term, as a fraction of the term's weight; cleared when documents are
 * added.
 */
export class HighestScores {
  private readonly byCode = new Map<number, number>();

  of(code: number, compute: () => number): number {
    let highest = this.byCode.get(code);
    if (highest === undefined) {
      highest = compute();
      if (this.byCode.size >= MAX_KEPT) this.byCode.clear();
      this.byCode.set(code, highest);
    }
    return highest;
  }

  clear(): void {
    if (this.byCode.size > 0) this.byCode.clear();
  }
}
