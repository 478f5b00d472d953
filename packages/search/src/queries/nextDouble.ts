const float = new Float64Array(1);
const bits = new BigInt64Array(float.buffer);

/** The smallest double above a number. */
export function nextDouble(value: number): number {
  if (value === Infinity) return Infinity;
  if (value === 0) return Number.MIN_VALUE;
  float[0] = value;
  bits[0] = (bits[0] as bigint) + (value > 0 ? 1n : -1n);
  return float[0];
}
