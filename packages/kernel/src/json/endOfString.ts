const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Where the JSON string ends that begins before `start`: the place of its closing quote, or beyond the text. */
export function endOfString(bytes: Buffer, start: number): number {
  let position = start;
  while (position < bytes.length && bytes[position] !== QUOTE) {
    position += bytes[position] === BACKSLASH ? 2 : 1;
  }
  return position;
}
