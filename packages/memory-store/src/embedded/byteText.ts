/**
 * Design note: byte strings. Redis counts, compares and cuts bytes, JavaScript UTF-16 units. The embedded engine stores
 * every key and value as a string of one character per byte (code units 0 to 255): V8 stores these in one byte each,
 * lengths and offsets equal those of Redis, `<` compares as memcmp does, and they serve as keys of a Map. An ASCII
 * string, the common case, is its own byte string, so that conversion in either direction costs one scan.
 */

const NOT_ASCII = /[^\x00-\x7f]/;

/** The UTF-8 bytes of a string, one character each. */
export function toByteText(text: string): string {
  return NOT_ASCII.test(text) ? Buffer.from(text, 'utf8').toString('latin1') : text;
}

/** The string that bytes encode; invalid UTF-8 becomes U+FFFD (MEM-23). */
export function fromByteText(bytes: string): string {
  return NOT_ASCII.test(bytes) ? Buffer.from(bytes, 'latin1').toString('utf8') : bytes;
}
