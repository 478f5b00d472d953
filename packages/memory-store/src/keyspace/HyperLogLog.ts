import { murmurHash } from './murmurHash.js';

/**
 * Design note. 2^14 registers of 6 bits after a head of 16 bytes, the dense form of Redis: the bytes of `HYLL`, a form
 * byte (0), padding and 8 bytes for a cached count, which is never valid here. Redis stores small counts in a packed
 * form; this implementation is always dense, 12 KiB each. It uses Ertl's improved estimator, as Redis does, so that
 * equal registers give equal numbers.
 */
const MAGIC = 'HYLL';
const HEAD_BYTES = 16;
const REGISTER_BITS = 6;
const INDEX_BITS = 14;
const REGISTER_COUNT = 1 << INDEX_BITS;
/** Bits of the hash after the index: the largest register value is one more. */
const REST_BITS = 64 - INDEX_BITS;
const ALPHA_INFINITY = 0.72134752044448170368;

/** Bytes of a HyperLogLog. */
export const HYPER_LOG_LOG_BYTES = HEAD_BYTES + (REGISTER_COUNT * REGISTER_BITS) / 8;

/** The bytes of an empty HyperLogLog. */
export function emptyHyperLogLog(): Buffer {
  const bytes = Buffer.alloc(HYPER_LOG_LOG_BYTES);
  bytes.write(MAGIC, 0, 'latin1');
  // The highest bit marks the cached count as stale.
  bytes[15] = 0x80;
  return bytes;
}

/** Whether these bytes are a HyperLogLog. */
export function isHyperLogLog(bytes: Buffer): boolean {
  return bytes.length === HYPER_LOG_LOG_BYTES && bytes.toString('latin1', 0, 5) === `${MAGIC}\0`;
}

function readRegister(bytes: Buffer, register: number): number {
  const bit = register * REGISTER_BITS;
  const at = HEAD_BYTES + (bit >> 3);
  const pair = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8);
  return (pair >> (bit & 7)) & 63;
}

/** @returns true if the register grew */
function raiseRegister(bytes: Buffer, register: number, value: number): boolean {
  if (readRegister(bytes, register) >= value) return false;
  const bit = register * REGISTER_BITS;
  const at = HEAD_BYTES + (bit >> 3);
  const shift = bit & 7;
  const pair = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8);
  const raised = (pair & ~(63 << shift)) | (value << shift);
  bytes[at] = raised & 0xff;
  if (at + 1 < bytes.length) bytes[at + 1] = (raised >> 8) & 0xff;
  return true;
}

/** Counts an element. @returns true if a register grew */
export function countIn(bytes: Buffer, element: string): boolean {
  const [high, low] = murmurHash(element);
  const register = low & (REGISTER_COUNT - 1);
  // The rest of the hash, followed by a one, so that a run of zeros always ends.
  const restLow = ((low >>> INDEX_BITS) | (high << (32 - INDEX_BITS))) >>> 0;
  const restHigh = ((high >>> INDEX_BITS) | (1 << (REST_BITS - 32))) >>> 0;
  const zeros = restLow !== 0 ? trailingZeros(restLow) : 32 + trailingZeros(restHigh);
  return raiseRegister(bytes, register, zeros + 1);
}

function trailingZeros(value: number): number {
  return 31 - Math.clz32(value & -value);
}

/** Sets each register of the target to the larger of the two. */
export function mergeInto(target: Buffer, source: Buffer): void {
  for (let register = 0; register < REGISTER_COUNT; register++) {
    const value = readRegister(source, register);
    if (value > 0) raiseRegister(target, register, value);
  }
}

/** The estimated number of distinct elements. */
export function estimate(bytes: Buffer): number {
  const histogram = new Array<number>(64).fill(0);
  for (let register = 0; register < REGISTER_COUNT; register++) {
    const value = readRegister(bytes, register);
    histogram[value] = (histogram[value] ?? 0) + 1;
  }
  const m = REGISTER_COUNT;
  let z = m * tau((m - (histogram[REST_BITS + 1] ?? 0)) / m);
  for (let value = REST_BITS; value >= 1; value--) z = 0.5 * (z + (histogram[value] ?? 0));
  z += m * sigma((histogram[0] ?? 0) / m);
  return Math.round((ALPHA_INFINITY * m * m) / z);
}

function sigma(start: number): number {
  if (start === 1) return Infinity;
  let [x, y, z, previous] = [start, 1, start, NaN];
  while (z !== previous) {
    x *= x;
    previous = z;
    z += x * y;
    y += y;
  }
  return z;
}

function tau(start: number): number {
  if (start === 0 || start === 1) return 0;
  let [x, y, z, previous] = [start, 1, 1 - start, NaN];
  while (z !== previous) {
    x = Math.sqrt(x);
    previous = z;
    y *= 0.5;
    z -= (1 - x) ** 2 * y;
  }
  return z / 3;
}
