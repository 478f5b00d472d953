const MAX_SCORE = 3.402_823_5e38;

/**
 * A score as Elasticsearch writes it: the shortest decimal number that stands for the same 32-bit float. What is larger
 * than any is the largest one, as JSON has no infinite numbers.
 */
export function toFloat(score: number): number {
  const float = Math.fround(score);
  if (float === Infinity) return MAX_SCORE;
  for (let digits = 6; digits < 9; digits += 1) {
    const short = Number(float.toPrecision(digits));
    if (Math.fround(short) === float) return short;
  }
  return Number(float.toPrecision(9));
}
