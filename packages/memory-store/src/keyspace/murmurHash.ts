/**
 * MurmurHash2 for 64-bit machines (Austin Appleby, public domain), the hash of Redis's HyperLogLogs; equal hashes give
 * equal estimates. 64-bit products are computed from 16-bit pieces: BigInt takes ten times as long.
 */
const [M_HIGH, M_LOW] = [0xc6a4a793, 0x5bd1e995];
const SEED = 0xadc83b19;
const SHIFT = 47 - 32;

/** High and low half of a 64-bit number. */
export type Halves = readonly [high: number, low: number];

function multiply(high: number, low: number): Halves {
  const lowHigh = highOfProduct(low, M_LOW);
  const crossed = (Math.imul(high, M_LOW) + Math.imul(low, M_HIGH) + lowHigh) >>> 0;
  return [crossed, Math.imul(low, M_LOW) >>> 0];
}

/** The upper 32 bits of the product of two unsigned numbers of 32 bits. */
function highOfProduct(left: number, right: number): number {
  const [leftHigh, leftLow, rightHigh, rightLow] = [left >>> 16, left & 0xffff, right >>> 16, right & 0xffff];
  const middle = leftHigh * rightLow + ((leftLow * rightLow) >>> 16);
  const other = leftLow * rightHigh + (middle & 0xffff);
  return (leftHigh * rightHigh + Math.floor(middle / 65536) + Math.floor(other / 65536)) >>> 0;
}

/** `k ^= k >>> 47` */
function fold([high, low]: Halves): Halves {
  return [high, (low ^ (high >>> SHIFT)) >>> 0];
}

/** The hash of a byte string. */
export function murmurHash(text: string): Halves {
  const { length } = text;
  let [high, low] = multiply(0, length);
  low = (low ^ SEED) >>> 0;
  const end = length - (length % 8);
  for (let at = 0; at < end; at += 8) {
    const block = fold(multiply(wordAt(text, at + 4), wordAt(text, at)));
    const [blockHigh, blockLow] = multiply(...block);
    [high, low] = multiply((high ^ blockHigh) >>> 0, (low ^ blockLow) >>> 0);
  }
  if (end < length) {
    low = (low ^ partialWord(text, end, length)) >>> 0;
    high = (high ^ partialWord(text, end + 4, length)) >>> 0;
    [high, low] = multiply(high, low);
  }
  return fold(multiply(...fold([high, low])));
}

function wordAt(text: string, at: number): number {
  return (
    (text.charCodeAt(at) |
      (text.charCodeAt(at + 1) << 8) |
      (text.charCodeAt(at + 2) << 16) |
      (text.charCodeAt(at + 3) << 24)) >>>
    0
  );
}

function partialWord(text: string, from: number, length: number): number {
  let word = 0;
  for (let at = Math.min(from + 4, length) - 1; at >= from; at--) word = ((word << 8) | text.charCodeAt(at)) >>> 0;
  return word;
}
