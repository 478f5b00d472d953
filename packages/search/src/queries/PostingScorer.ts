import type { PostingList } from '../columns/Postings.js';
import type { TextField } from '../fields/TextField.js';
import { lengthFactor, lengthFactors } from './bm25.js';

/** Scores of lower frequencies are computed once per length. */
const TABLED_FREQUENCIES = 4;

/** The contribution of each posting of a term to the score of its document (BM25). */
export class PostingScorer {
  readonly slots: Int32Array;
  private readonly frequencies: Uint16Array | undefined;
  private readonly lengths: Uint8Array;
  /** By length byte. */
  private readonly factors: Float64Array;
  /** By frequency and length byte: nearly all terms occur once or twice in a document. */
  private readonly table = new Float64Array(TABLED_FREQUENCIES * 256);

  constructor(
    text: TextField,
    { slots, frequencies }: PostingList,
    private readonly weight: number,
  ) {
    this.slots = slots;
    this.frequencies = frequencies;
    this.lengths = text.lengths;
    this.factors = text.field.hasNorms ? lengthFactors(text) : new Float64Array(256).fill(lengthFactor(text, 1));
    for (let i = 256; i < this.table.length; i += 1) {
      this.table[i] = this.compute(i >>> 8, i & 255);
    }
  }

  scoreAt(position: number): number {
    const length = this.lengths[this.slots[position] as number] as number;
    const frequency = this.frequencies === undefined ? 1 : (this.frequencies[position] as number);
    return frequency < TABLED_FREQUENCIES
      ? (this.table[(frequency << 8) | length] as number)
      : this.compute(frequency, length);
  }

  private compute(frequency: number, length: number): number {
    return (this.weight * frequency) / (frequency + (this.factors[length] as number));
  }
}
