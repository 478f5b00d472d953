import type { IndexInput } from '../stored/IndexInput.js';
import type { IndexOutput } from '../stored/IndexOutput.js';
import { growInt32 } from './grow.js';
import { TermDictionary } from './TermDictionary.js';

/** In `codes`: the document has no term. */
export const NO_TERM = -1;

/** In `codes`: the document has several terms, listed in `more`. */
export const SEVERAL_TERMS = -2;

/*
 * The terms of one keyword-like field: per slot a code of the dictionary. Documents with several distinct terms have
 * them in a side map, ordered by code.
 */
export class TermColumn {
  codes: Int32Array = new Int32Array(0);
  length = 0;
  readonly more = new Map<number, Int32Array>();
  /**
   * Documents that have the field, and their distinct terms, including dead documents: the statistics that scores are
   * computed from.
   */
  documentCount = 0;
  tokenCount = 0;

  /** By code: number of documents with the term, including dead ones. */
  private counts: Int32Array = new Int32Array(0);
  private open: number[] = [];
  private openSlot = -1;

  /** @param dictionary of another column that should share its terms */
  constructor(readonly dictionary: TermDictionary = new TermDictionary()) {}

  /** Slots must not decrease between calls. */
  add(slot: number, term: string): void {
    this.addCode(slot, this.dictionary.codeFor(term));
  }

  /** As `add`, for a term of the dictionary. */
  addCode(slot: number, code: number): void {
    if (slot >= this.length) {
      this.codes = growInt32(this.codes, slot + 1);
      this.codes.fill(NO_TERM, this.length, slot);
      this.length = slot + 1;
      this.codes[slot] = code;
      this.count(code);
      this.documentCount += 1;
      this.tokenCount += 1;
      return;
    }
    if (this.openSlot !== slot) {
      this.seal();
      this.openSlot = slot;
      this.open = [this.codes[slot] as number];
    }
    this.open.push(code);
  }

  /** Sorts the terms of the last document. Must be called before reads. */
  seal(): void {
    if (this.openSlot === -1) return;
    const codes = Int32Array.from(new Set(this.open)).sort();
    if (codes.length > 1) {
      for (const code of codes) if (code !== this.codes[this.openSlot]) this.count(code);
      this.codes[this.openSlot] = SEVERAL_TERMS;
      this.more.set(this.openSlot, codes);
      this.tokenCount += codes.length - 1;
    }
    this.openSlot = -1;
    this.open = [];
  }

  /** A code, `NO_TERM` or `SEVERAL_TERMS`. */
  codeAt(slot: number): number {
    return slot < this.length ? (this.codes[slot] as number) : NO_TERM;
  }

  /** True if `isWanted[code]` is 1 for one of the document's terms. */
  hasAny(slot: number, isWanted: Uint8Array): boolean {
    const code = this.codeAt(slot);
    if (code >= 0) return isWanted[code] === 1;
    if (code === NO_TERM) return false;
    return (this.more.get(slot) as Int32Array).some((one) => isWanted[one] === 1);
  }

  /** By code: number of documents with each of the first `size` terms, including dead ones. */
  countsOf(size: number): Int32Array {
    const counts = new Int32Array(size);
    counts.set(this.counts.subarray(0, Math.min(size, this.counts.length)));
    return counts;
  }

  /** Includes its dictionary. */
  store(output: IndexOutput): void {
    const { length, documentCount, tokenCount } = this;
    output.json({ length, documentCount, tokenCount });
    output.array(this.codes, length);
    // Counts are updated in place.
    output.array(this.counts.slice(), this.counts.length);
    output.lists(this.more);
    this.dictionary.store(output);
  }

  restore(input: IndexInput): void {
    const head = input.numbers('length', 'documentCount', 'tokenCount');
    this.length = head.length;
    this.documentCount = head.documentCount;
    this.tokenCount = head.tokenCount;
    this.codes = input.int32();
    this.counts = input.int32();
    input.lists((slot, codes) => this.more.set(slot, Int32Array.from(codes)));
    this.dictionary.restore(input);
  }

  get byteLength(): number {
    return this.counts.byteLength + this.codes.byteLength + this.more.size * 100 + this.dictionary.byteLength;
  }

  private count(code: number): void {
    this.counts = growInt32(this.counts, code + 1);
    this.counts[code] = (this.counts[code] as number) + 1;
  }
}
