/*
 * Maps grams (three letters of a string that every match contains) to patterns, in columns of integers.
 *
 * Problem: a value has a gram per letter, and most of them lead nowhere; of those that lead to patterns, most patterns
 * lack something else. Idea: an open hash table, wide enough that one integer mostly decides a lookup; each entry also
 * has two more grams that the value must contain. A small bit table (2,048 bits, filled in a first pass over the value)
 * shows which grams a value contains at all, so a pattern's own objects are touched only if all three grams are
 * present.
 */
import { foldCode } from '@millrace/language';

/** Bits that show which grams a value contains. Long values fill them, which costs useless tries and nothing else. */
const SIGNATURE_BITS = 11;
const FIRST_CAPACITY = 16;
const NONE = -1;

/** Columns of an entry. */
const GRAM = 0;
const NEED = 1;
const OTHER_NEED = 2;
const NEXT = 3;
const PREVIOUS = 4;
const STRIDE = 5;

/** @typeParam T type of the values that entries lead to */
export class GramTable<T> {
  count = 0;
  private rows = new Int32Array(STRIDE * FIRST_CAPACITY);
  private readonly values: (T | undefined)[] = [];
  private firstFree = NONE;
  /** First entry by the last bits of its gram, and the number of entries. */
  private heads = new Int32Array(4 * FIRST_CAPACITY).fill(NONE);
  private loads = new Int32Array(4 * FIRST_CAPACITY);
  private readonly signature = new Int32Array(2 ** (SIGNATURE_BITS - 5));

  get byteCount(): number {
    return this.rows.length * 4 + this.heads.length * 8 + this.values.length * 8;
  }

  /** Number of entries that share the bucket of a gram. */
  loadOf(gram: number): number {
    return this.loads[gram & (this.heads.length - 1)] ?? 0;
  }

  /**
   * @param needs other grams without which the value doesn't match
   * @returns the number of the entry
   */
  add(gram: number, needs: readonly [number, number], value: T): number {
    if (8 * this.count >= this.heads.length) this.widen();
    let entry = this.firstFree;
    if (entry === NONE) {
      entry = this.values.length;
      if (STRIDE * entry === this.rows.length) this.grow();
    } else this.firstFree = this.rows[STRIDE * entry + NEXT] ?? NONE;
    this.values[entry] = value;
    this.rows.set([gram, ...needs], STRIDE * entry);
    this.count++;
    this.link(entry);
    return entry;
  }

  remove(entry: number): void {
    const { rows, heads } = this;
    const at = STRIDE * entry;
    const place = (rows[at + GRAM] as number) & (heads.length - 1);
    const next = rows[at + NEXT] as number;
    const previous = rows[at + PREVIOUS] as number;
    if (previous === NONE) heads[place] = next;
    else rows[STRIDE * previous + NEXT] = next;
    if (next !== NONE) rows[STRIDE * next + PREVIOUS] = previous;
    this.loads[place] = (this.loads[place] ?? 1) - 1;
    this.values[entry] = undefined;
    rows[at + NEXT] = this.firstFree;
    this.firstFree = entry;
    this.count--;
  }

  /** Visits the values that the grams of a string lead to; a value may be visited several times. */
  visit(text: string, visit: (value: T) => void): void {
    if (text.length < GRAM_LENGTH) return;
    const { heads, rows, signature } = this;
    const mask = heads.length - 1;
    this.sign(text);
    let first = foldCode(text.charCodeAt(0));
    let second = foldCode(text.charCodeAt(1));
    for (let i = 2; i < text.length; i++) {
      const third = foldCode(text.charCodeAt(i));
      const gram = gramOf(first, second, third);
      first = second;
      second = third;
      for (let entry = heads[gram & mask] as number; entry !== NONE;) {
        const at = STRIDE * entry;
        if (
          rows[at] === gram &&
          isSigned(signature, rows[at + NEED] as number) &&
          isSigned(signature, rows[at + OTHER_NEED] as number)
        ) {
          visit(this.values[entry] as T);
        }
        entry = rows[at + NEXT] as number;
      }
    }
  }

  private sign(text: string): void {
    const { signature } = this;
    signature.fill(0);
    let first = foldCode(text.charCodeAt(0));
    let second = foldCode(text.charCodeAt(1));
    for (let i = 2; i < text.length; i++) {
      const third = foldCode(text.charCodeAt(i));
      const bit = bitOf(gramOf(first, second, third));
      signature[bit >>> 5] = (signature[bit >>> 5] as number) | (1 << (bit & 31));
      first = second;
      second = third;
    }
  }

  private link(entry: number): void {
    const { rows, heads, loads } = this;
    const at = STRIDE * entry;
    const place = (rows[at + GRAM] as number) & (heads.length - 1);
    const next = heads[place] as number;
    rows[at + NEXT] = next;
    rows[at + PREVIOUS] = NONE;
    if (next !== NONE) rows[STRIDE * next + PREVIOUS] = entry;
    heads[place] = entry;
    loads[place] = (loads[place] ?? 0) + 1;
  }

  private grow(): void {
    const rows = new Int32Array(this.rows.length + STRIDE * Math.max(8, this.values.length >> 1));
    rows.set(this.rows);
    this.rows = rows;
  }

  private widen(): void {
    this.heads = new Int32Array(4 * this.heads.length).fill(NONE);
    this.loads = new Int32Array(this.heads.length);
    for (const [entry, value] of this.values.entries()) if (value !== undefined) this.link(entry);
  }
}

export const GRAM_LENGTH = 3;

/** A small integer for three character codes; a collision of two grams costs a useless try. */
function gramOf(first: number, second: number, third: number): number {
  return Math.imul(Math.imul(first, 0x3779b1) ^ second, 0x2bca6b) ^ third;
}

/** All grams of a folded string. */
export function gramsOf(text: string): readonly number[] {
  const grams: number[] = [];
  for (let at = 0; at + GRAM_LENGTH <= text.length; at++) grams.push(gramAt(text, at));
  return grams;
}

export function gramAt(text: string, at: number): number {
  return gramOf(text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2));
}

function bitOf(gram: number): number {
  return Math.imul(gram, 0x9e3779b1) >>> (32 - SIGNATURE_BITS);
}

function isSigned(signature: Int32Array, gram: number): boolean {
  const bit = bitOf(gram);
  return (((signature[bit >>> 5] as number) >>> (bit & 31)) & 1) === 1;
}
