import type { LeafType } from './Mapping.js';

/** Largest magnitudes that round to a finite half_float and float. */
const MAX_HALF_FLOAT = 65_519.999;
const MAX_FLOAT = 3.402_823_567_797_336_6e38;
/** Bound of the type `long`, as a double. */
export const MAX_LONG = 2 ** 63;

/** A decimal number in a string, else NaN; hexadecimal numbers, blank strings and `Infinity` give NaN. */
export function toDecimal(text: string): number {
  const trimmed = text.length > 400 ? '' : text.trim();
  return /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(trimmed) ? Number(trimmed) : Number.NaN;
}

/** Converts to the type `long`: drops the fraction and clamps to 64 bits. NaN stays NaN. */
export function toLong(value: number): number {
  return Math.max(-MAX_LONG, Math.min(MAX_LONG, Math.trunc(value))) + 0; // + 0: no -0
}

/** Whether the type stores numbers (dates and booleans don't count). */
export function isNumberType(type: LeafType): boolean {
  return isFloatType(type) || isIntegerType(type);
}

/** Whether the type stores fractions. */
export function isFloatType(type: LeafType): boolean {
  return type === 'double' || type === 'float' || type === 'half_float' || type === 'scaled_float';
}

/** Whether the type stores integers only. */
export function isIntegerType(type: LeafType): boolean {
  return type === 'long' || type === 'integer' || type === 'short' || type === 'byte';
}

/** Whether a number, truncated for an integer type, fits a number type. */
export function isInTypeRange(type: LeafType, value: number): boolean {
  switch (type) {
    case 'byte':
      return value > -129 && value < 128;
    case 'short':
      return value > -32_769 && value < 32_768;
    case 'integer':
      return value > -2_147_483_649 && value < 2_147_483_648;
    case 'long':
      return value >= -MAX_LONG && value <= MAX_LONG;
    case 'float':
      return Math.abs(value) < MAX_FLOAT;
    case 'half_float':
      return Math.abs(value) < MAX_HALF_FLOAT;
    default:
      return Number.isFinite(value);
  }
}

/** Whether a number including its fraction fits a number type: 127.5 isn't a byte. */
export function isWithinType(type: LeafType, value: number): boolean {
  const isWhole = isIntegerType(type);
  return isInTypeRange(type, isWhole ? Math.sign(value) * Math.ceil(Math.abs(value)) : value);
}

/** The value in the field's precision. */
export function toTypePrecision(type: LeafType, value: number, scalingFactor: number): number {
  switch (type) {
    case 'byte':
    case 'short':
    case 'integer':
    case 'long':
      return Math.trunc(value) + 0; // + 0: no -0
    case 'float':
      return Math.fround(value);
    case 'half_float':
      return toHalfPrecision(value);
    case 'scaled_float':
      return Math.round(value * scalingFactor) / scalingFactor;
    default:
      return value;
  }
}

/** Rounds to 11 significant bits (subnormals: multiples of 2^-24), ties to even. */
function toHalfPrecision(value: number): number {
  const magnitude = Math.abs(value);
  if (magnitude === 0) return 0;
  const exponent = Math.max(Math.floor(Math.log2(magnitude)), -14);
  const step = 2 ** (exponent - 10);
  const quotient = value / step;
  const floor = Math.floor(quotient);
  const rest = quotient - floor;
  const isUp = rest > 0.5 || (rest === 0.5 && floor % 2 !== 0);
  return (isUp ? floor + 1 : floor) * step;
}
