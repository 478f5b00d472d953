/** Formats a number as a bucket key of ranges, keyed histograms and percentiles: `50.0` for 50. */
export function decimalKey(value: number): string {
  const text = String(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}
