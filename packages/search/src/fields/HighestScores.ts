/** Results are kept for so many terms. */
const MAX_KEPT = 20_000;

/** The highest score of each term that was asked for, as a part of the term's weight, until documents are added. */
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
