/*
 * The depth of JSON text, from its bytes and before JSON.parse: what walks a parsed value later (stringify, merge,
 * validation) is recursive, and a body of 1 MiB can hold half a million levels. One pass without recursion: quotes
 * switch strings on and off, brackets count outside them. In UTF-8 no byte of a longer character looks like one of
 * these. Text that is not JSON may count wrong, which does not matter: JSON.parse refuses it then.
 */
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** True where arrays and objects are nested in more levels than `maxDepth`. */
export function isDeeperThan(bytes: Buffer, maxDepth: number): boolean {
  // Each level needs two brackets: most bodies are too short to be deep.
  if (bytes.length <= 2 * maxDepth) return false;
  let depth = 0;
  for (let position = 0; position < bytes.length; position++) {
    switch (bytes[position]) {
      case QUOTE:
        position = endOfString(bytes, position + 1);
        break;
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        if (++depth > maxDepth) return true;
        break;
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        depth--;
        break;
      default:
    }
  }
  return false;
}

/** Where the string ends that begins before `start`: the place of its closing quote, or beyond the text. */
export function endOfString(bytes: Buffer, start: number): number {
  let position = start;
  while (position < bytes.length && bytes[position] !== QUOTE) {
    position += bytes[position] === BACKSLASH ? 2 : 1;
  }
  return position;
}
