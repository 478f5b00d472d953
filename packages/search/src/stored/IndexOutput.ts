import type { JsonValue } from '@millrace/language';

/** Arrays whose bytes are written as they are in memory. */
export type PlainArray = Int32Array | Float64Array | Uint16Array | Uint8Array;

/** Number of characters encoded at a time. */
const CHARACTERS_PER_PIECE = 1 << 20;

/** Maximum size of a piece of one write: a few milliseconds of work. */
const BYTES_PER_PIECE = 1 << 22;

/*
 * A stored index is a sequence of values, each as its length in bytes (a double) and its bytes, read back in the order
 * they were written. The output keeps views of the index's arrays and encodes strings only when their bytes are
 * requested, so snapshotting an index of a gigabyte takes almost no time. Arrays of an index only grow at their ends;
 * those that are modified in place must be passed as a copy.
 */
export class IndexOutput {
  private readonly makers: (() => readonly Uint8Array[])[] = [];

  json(value: JsonValue): void {
    const bytes = Buffer.from(JSON.stringify(value));
    this.makers.push(() => framed(bytes));
  }

  /** @param length elements from there on are left out */
  array(array: PlainArray, length: number): void {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, length * array.BYTES_PER_ELEMENT);
    this.makers.push(() => framed(bytes));
  }

  /** @param list not changed below its present length */
  strings(list: readonly string[]): void {
    const { length } = list;
    this.json(length);
    for (let from = 0; from < length;) {
      let to = from;
      for (let sum = 0; to < length && sum < CHARACTERS_PER_PIECE; to += 1) {
        sum += (list[to] as string).length;
      }
      const [first, end] = [from, to];
      this.makers.push(() => stringPiece(list.slice(first, end)));
      from = to;
    }
  }

  /** Several numbers per slot. */
  lists(map: ReadonlyMap<number, ArrayLike<number>>): void {
    const slots = Int32Array.from(map.keys());
    const counts = new Int32Array(map.size);
    let total = 0;
    let i = 0;
    for (const { length } of map.values()) {
      counts[i++] = length;
      total += length;
    }
    const values = new Float64Array(total);
    let filled = 0;
    for (const list of map.values()) {
      values.set(list, filled);
      filled += list.length;
    }
    this.array(slots, slots.length);
    this.array(counts, counts.length);
    this.array(values, values.length);
  }

  /** All bytes, produced piece by piece. */
  *pieces(): Generator<Uint8Array, undefined> {
    for (const make of this.makers) yield* make();
    return undefined;
  }
}

function framed(bytes: Uint8Array): readonly Uint8Array[] {
  const pieces: Uint8Array[] = [new Uint8Array(Float64Array.of(bytes.length).buffer)];
  for (let at = 0; at < bytes.length; at += BYTES_PER_PIECE) {
    pieces.push(bytes.subarray(at, at + BYTES_PER_PIECE));
  }
  return pieces;
}

const BEYOND_LATIN1 = /[^\u0000-\u00ff]/;

// Encoded as in memory, including unpaired surrogates, which UTF-8 lacks.
function stringPiece(list: readonly string[]): readonly Uint8Array[] {
  const text = list.join('');
  const isWide = BEYOND_LATIN1.test(text);
  const lengths = Int32Array.from(list, ({ length }) => length);
  return [
    ...framed(Uint8Array.of(isWide ? 1 : 0)),
    ...framed(new Uint8Array(lengths.buffer)),
    ...framed(Buffer.from(text, isWide ? 'utf16le' : 'latin1')),
  ];
}
