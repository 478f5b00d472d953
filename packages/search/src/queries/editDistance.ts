/**
 * The number of insertions, deletions, replacements and (optionally) swaps of neighbours that turn `a` into `b`, or
 * `limit` + 1 if it is larger. Computes only a band of the table as wide as the limit.
 */
export function editDistance(
  a: readonly string[],
  b: readonly string[],
  limit: number,
  hasTranspositions: boolean,
): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = new Array<number>(b.length + 1).fill(limit + 1);
    row[0] = i;
    let least = i;
    const to = Math.min(b.length, i + limit);
    for (let j = Math.max(1, i - limit); j <= to; j += 1) {
      const isSame = a[i - 1] === b[j - 1];
      let cost = Math.min(at(previous, j - 1) + (isSame ? 0 : 1), at(previous, j) + 1, at(row, j - 1) + 1);
      if (hasTranspositions && i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, at(beforePrevious, j - 2) + 1);
      }
      row[j] = cost;
      least = Math.min(least, cost);
    }
    // Two rows: a swap refers back over one row.
    if (least > limit && previous.every((cost) => cost > limit)) return limit + 1;
    beforePrevious = previous;
    previous = row;
  }
  return Math.min(at(previous, b.length), limit + 1);
}

function at(row: readonly number[], j: number): number {
  return row[j] as number;
}
