const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Bytes of a string that are compared one by one before the native search, whose call costs about as much. */
const STEP_BYTES = 32;

/** Where the JSON string ends that begins before `start`: the position of its closing quote, or beyond the text. */
export function endOfString(bytes: Buffer, start: number): number {
  let position = start;
  for (;;) {
    const stepEnd = Math.min(bytes.length, position + STEP_BYTES);
    while (position < stepEnd) {
      const byte = bytes[position];
      if (byte === QUOTE) return position;
      position += byte === BACKSLASH ? 2 : 1;
    }
    if (position >= bytes.length) return position;
    const quote = bytes.indexOf(QUOTE, position);
    if (quote < 0) return bytes.length;
    if (!isEscaped(bytes, quote, position)) return quote;
    position = quote + 1;
  }
}

/** @param from no byte before it escapes a later one */
function isEscaped(bytes: Buffer, at: number, from: number): boolean {
  let backslashes = 0;
  while (at - backslashes > from && bytes[at - backslashes - 1] === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}
