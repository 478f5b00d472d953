/** At most 64 bytes: V8 keeps such arrays in its heap, which makes indexing one document (`documentScope`) cheaper. */
const FIRST_CAPACITY = 8;

/**
 * Returns the array, or a copy with room for `length` elements: larger by at least half, so that repeated growth is
 * cheap.
 */
export function growInt32(array: Int32Array, length: number): Int32Array {
  if (length <= array.length) return array;
  const grown = new Int32Array(capacityFor(array.length, length));
  grown.set(array);
  return grown;
}

/** As `growInt32`. */
export function growFloat64(array: Float64Array, length: number): Float64Array {
  if (length <= array.length) return array;
  const grown = new Float64Array(capacityFor(array.length, length));
  grown.set(array);
  return grown;
}

/** As `growInt32`. */
export function growUint16(array: Uint16Array, length: number): Uint16Array {
  if (length <= array.length) return array;
  const grown = new Uint16Array(capacityFor(array.length, length));
  grown.set(array);
  return grown;
}

/** As `growInt32`. */
export function growUint8(array: Uint8Array, length: number): Uint8Array {
  if (length <= array.length) return array;
  const grown = new Uint8Array(capacityFor(array.length, length));
  grown.set(array);
  return grown;
}

function capacityFor(current: number, length: number): number {
  return Math.max(FIRST_CAPACITY, length, current + (current >>> 1));
}
