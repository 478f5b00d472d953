/**
 * Strings as bytes in one buffer. The buffer is transferred from the search thread to the main thread, which then
 * doesn't have to copy them, and often not even to encode them.
 */
export interface PackedTexts {
  /** UTF-8, concatenated. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** End offset of each. */
  readonly ends: Uint32Array;
}

/** Encodes and concatenates strings. */
export function packTexts(texts: readonly string[]): PackedTexts {
  const byteLength = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const buffer = new ArrayBuffer(byteLength);
  const bytes = Buffer.from(buffer);
  const ends = new Uint32Array(texts.length);
  let at = 0;
  for (const [i, text] of texts.entries()) {
    at += bytes.write(text, at);
    ends[i] = at;
  }
  return { bytes: new Uint8Array(buffer), ends };
}

/** The bytes of one string; a view, not a copy. */
export function packedText({ bytes, ends }: PackedTexts, i: number): Uint8Array {
  return bytes.subarray(i === 0 ? 0 : ends[i - 1], ends[i]);
}
