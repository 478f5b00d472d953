/**
 * Rounds a decimal string such as `-12.345` to a number of significant digits, half to even, without exponent and
 * without trailing zeros. Other strings are returned unchanged.
 */
export function roundDecimal(text: string, digits: number): string {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === '') return text;
  const all = (whole + fraction).replace(/^0+/, '');
  const excess = all.length - digits;
  if (excess <= 0) return text;
  const rounded = divideHalfEven(BigInt(all), 10n ** BigInt(excess)) * 10n ** BigInt(excess);
  return toDecimalText(sign, rounded, fraction.length);
}

/** The quotient of two positive integers, rounded half to even. */
export function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  const twice = (dividend % divisor) * 2n;
  const isUp = twice > divisor || (twice === divisor && quotient % 2n === 1n);
  return isUp ? quotient + 1n : quotient;
}

/** The decimal string of `magnitude / 10^scale`, without trailing zeros. */
export function toDecimalText(sign: string, magnitude: bigint, scale: number): string {
  const digits = String(magnitude).padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '');
  const text = fraction === '' ? whole : `${whole}.${fraction}`;
  return text === '0' ? text : sign + text;
}
