/*
 * The length of a text field in one byte, for BM25: exact to 39, then with four significant bits (the encoding of Lucene's
 * norms, so that both storage engines compute the same scores).
 */

/** Lengths from here on lose precision. */
const EXACT_LENGTHS = 24;

function encodeTail(length: number): number {
  const bits = 32 - Math.clz32(length);
  if (bits < 4) return length;
  const shift = bits - 4;
  return ((length >>> shift) & 0x07) | ((shift + 1) << 3);
}

function decodeTail(byte: number): number {
  const shift = (byte >>> 3) - 1;
  const bits = byte & 0x07;
  return shift === -1 ? bits : (bits | 0x08) * 2 ** shift;
}

/** The byte of a length of 0 to 2^31 - 1 tokens. */
export function encodeLength(length: number): number {
  return length < EXACT_LENGTHS ? length : EXACT_LENGTHS + encodeTail(length - EXACT_LENGTHS);
}

/** By byte: the decoded length. */
export const DECODED_LENGTHS: Float64Array = Float64Array.from({ length: 256 }, (_, byte) =>
  byte < EXACT_LENGTHS ? byte : EXACT_LENGTHS + decodeTail(byte - EXACT_LENGTHS),
);
