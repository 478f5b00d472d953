const MAX_FLOAT = 3.402_823_5e38;
/** Integers up to here are floats, and no shorter number rounds to them. */
const MAX_INTEGER = 2 ** 24;

/**
 * The shortest decimal number that rounds to the same 32-bit float. Scores and values of `float` fields have 32 bits:
 * this avoids writing 0.1 as 0.10000000149011612. JSON has no infinite numbers, so an overflow gives the largest float.
 */
export function toFloat(value: number): number {
  const float = Math.fround(value);
  if (Number.isInteger(float) && float <= MAX_INTEGER && float >= -MAX_INTEGER) return float;
  if (float === Infinity) return MAX_FLOAT;
  for (let digits = 6; digits < 9; digits += 1) {
    const short = Number(float.toPrecision(digits));
    if (Math.fround(short) === float) return short;
  }
  return Number(float.toPrecision(9));
}
