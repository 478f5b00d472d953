import { growInt32 } from '../columns/grow.js';
import type { IndexInput } from '../stored/IndexInput.js';
import type { IndexOutput } from '../stored/IndexOutput.js';

/** An entry: the next token shares the position of the previous one. */
export const SAME_POSITION = -(2 ** 31);

/*
 * The tokens of each document's text in order, for phrases: the code of each token, and a negative number for skipped
 * positions (a removed stop word, the gap between two values). A phrase query finds its candidates by the postings of
 * its terms and then reads the few tokens of each candidate here. So positions cost four bytes per token, and nothing
 * is decoded for words that occur in no phrase.
 */
export class TokenStream {
  private entries: Int32Array = new Int32Array(0);
  private entryCount = 0;
  /** By slot: the start of its entries; they end at the start of the next slot's. */
  private starts: Int32Array = new Int32Array(0);
  private slotCount = 0;

  /** Subsequent tokens belong to this slot. Slots must increase between calls. */
  begin(slot: number): void {
    this.starts = growInt32(this.starts, slot + 1);
    this.starts.fill(this.entryCount, this.slotCount, slot + 1);
    this.slotCount = slot + 1;
  }

  add(code: number): void {
    this.push(code);
  }

  /** A token at the position of the previous one. */
  stack(code: number): void {
    this.push(SAME_POSITION);
    this.push(code);
  }

  /** Skips positions. */
  skip(count: number): void {
    if (count > 0) this.push(-count);
  }

  /** The entries of a document. */
  of(slot: number): Int32Array {
    if (slot >= this.slotCount) return this.entries.subarray(0, 0);
    const end = slot + 1 < this.slotCount ? (this.starts[slot + 1] as number) : this.entryCount;
    return this.entries.subarray(this.starts[slot], end);
  }

  store(output: IndexOutput): void {
    output.array(this.entries, this.entryCount);
    output.array(this.starts, this.slotCount);
  }

  restore(input: IndexInput): void {
    this.entries = input.int32();
    this.entryCount = this.entries.length;
    this.starts = input.int32();
    this.slotCount = this.starts.length;
  }

  get byteLength(): number {
    return this.entries.byteLength + this.starts.byteLength;
  }

  private push(entry: number): void {
    this.entries = growInt32(this.entries, this.entryCount + 1);
    this.entries[this.entryCount] = entry;
    this.entryCount += 1;
  }
}
