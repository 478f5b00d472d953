import { DECODED_LENGTHS } from '../fields/lengthByte.js';

const K1 = 1.2;
const B = 0.75;

/** Statistics of a field for BM25. */
export interface FieldStatistics {
  /** Documents that have the field. */
  readonly documentCount: number;
  /** Tokens or terms in all of them. */
  readonly tokenCount: number;
}

/** boost · (k1 + 1) · idf of a term that `matchCount` documents have. */
export function termWeight(field: FieldStatistics, matchCount: number, boost: number): number {
  const rarity = (field.documentCount - matchCount + 0.5) / (matchCount + 0.5);
  return boost * (K1 + 1) * Math.log(1 + rarity);
}

/** k1 · (1 − b + b · dl / avgdl) for one length. */
export function lengthFactor(field: FieldStatistics, length: number): number {
  const average = field.tokenCount / field.documentCount;
  return K1 * (1 - B + (B * length) / average);
}

/** `lengthFactor` by length byte. */
export function lengthFactors(field: FieldStatistics): Float64Array {
  return DECODED_LENGTHS.map((length) => lengthFactor(field, length));
}
