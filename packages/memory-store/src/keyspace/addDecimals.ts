import { divideHalfEven, roundDecimal, toDecimalText } from '../roundDecimal.js';

const MAX_SCALE = 17;
const SHOWN_DIGITS = 15;

/**
 * Adds two decimal strings as `incrbyfloat` does. Redis adds in extended precision and writes 17 decimals; here the sum
 * is exact, cut to 17 decimals and then to the 15 significant digits of the contract (MEM-24).
 */
export function addDecimals(left: string, right: string): string {
  const [first, second] = [toParts(left), toParts(right)];
  const scale = Math.max(first.scale, second.scale);
  const sum = first.units * 10n ** BigInt(scale - first.scale) + second.units * 10n ** BigInt(scale - second.scale);
  const sign = sum < 0n ? '-' : '';
  let [magnitude, shownScale] = [sum < 0n ? -sum : sum, scale];
  if (scale > MAX_SCALE) {
    magnitude = divideHalfEven(magnitude, 10n ** BigInt(scale - MAX_SCALE));
    shownScale = MAX_SCALE;
  }
  return roundDecimal(toDecimalText(sign, magnitude, shownScale), SHOWN_DIGITS);
}

/** `12.5e1` is 125 units of scale 0. */
function toParts(text: string): { readonly units: bigint; readonly scale: number } {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const digits = BigInt(sign === '-' ? `-${whole}${fraction}` : `${whole}${fraction}` || '0');
  const scale = fraction.length - Number(exponent);
  return scale >= 0 ? { units: digits, scale } : { units: digits * 10n ** BigInt(-scale), scale: 0 };
}
