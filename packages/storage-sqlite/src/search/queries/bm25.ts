import { DECODED_LENGTHS } from '../fields/lengthByte.js';

const K1 = 1.2;
const B = 0.75;

/** What is known of a field for scores (query-language.md section 10). */
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

/** `lengthFactor` by the byte a length is kept in. */
export function lengthFactors(field: FieldStatistics): Float64Array {
  return DECODED_LENGTHS.map((length) => lengthFactor(field, length));
}

/**
 * The score by frequency and length byte, with each step in 32 bits as Lucene computes it (weight less a share of it):
 * of a frequency far below 1, as loose phrases have, the rounding is all that can be seen after five digits.
 * @param matchCounts of the terms of the phrase
 */
export function roundedScorer(
  field: FieldStatistics,
  matchCounts: readonly number[],
  boost: number,
): (frequency: number, lengthByte: number) => number {
  const { fround } = Math;
  const [k1, average] = [fround(K1), fround(field.tokenCount / field.documentCount)];
  const rarity = matchCounts.reduce((sum, count) => {
    return sum + fround(Math.log(1 + (field.documentCount - count + 0.5) / (count + 0.5)));
  }, 0);
  const weight = fround(fround(fround(boost) * fround(1 + k1)) * fround(rarity));
  const shares = Float32Array.from(DECODED_LENGTHS, (length) => {
    const factor = fround(k1 * fround(1 - B + fround(fround(B * length) / average)));
    return 1 / factor;
  });
  return (frequency, lengthByte) => {
    const share = fround(fround(frequency) * (shares[lengthByte] as number));
    return fround(weight - fround(weight / fround(1 + share)));
  };
}
