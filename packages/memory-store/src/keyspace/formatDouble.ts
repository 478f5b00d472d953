const DIGITS = 17;

/** A double in the format of Redis 7.0: C's `%.17g`, and `inf`. */
export function formatDouble(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  // Integers below 10^17 are printed as plain digits.
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return String(value);
  const [mantissa = '', exponentText = '0'] = value.toExponential(DIGITS - 1).split('e');
  const exponent = Number(exponentText);
  if (exponent < -4 || exponent >= DIGITS) {
    const size = String(Math.abs(exponent)).padStart(2, '0');
    return `${withoutZeros(mantissa)}e${exponent < 0 ? '-' : '+'}${size}`;
  }
  return withoutZeros(value.toFixed(DIGITS - 1 - exponent));
}

/** A double as C's `%.17Lf` without trailing zeros: for coordinates. */
export function formatFixed(value: number): string {
  return withoutZeros(value.toFixed(DIGITS));
}

function withoutZeros(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}
