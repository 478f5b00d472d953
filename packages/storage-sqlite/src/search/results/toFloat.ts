/** A score as Elasticsearch writes it: the shortest decimal number that stands for the same 32-bit float. */
export function toFloat(score: number): number {
  const float = Math.fround(score);
  for (let digits = 6; digits < 9; digits += 1) {
    const short = Number(float.toPrecision(digits));
    if (Math.fround(short) === float) return short;
  }
  return Number(float.toPrecision(9));
}
