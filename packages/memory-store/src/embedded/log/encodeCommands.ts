/** A command as the log keeps it: byte strings, the name first. */
export type LoggedCommand = readonly string[];

/**
 * Commands as bytes: their number, then for each the number of its words, then for each word its length and its bytes;
 * all numbers are 32 bits, little-endian.
 */
export function encodeCommands(commands: readonly LoggedCommand[]): Buffer {
  let length = 4;
  for (const words of commands) {
    length += 4;
    for (const word of words) length += 4 + word.length;
  }
  const bytes = Buffer.allocUnsafe(length);
  let at = bytes.writeUInt32LE(commands.length, 0);
  for (const words of commands) {
    at = bytes.writeUInt32LE(words.length, at);
    for (const word of words) {
      at = bytes.writeUInt32LE(word.length, at);
      at += bytes.write(word, at, 'latin1');
    }
  }
  return bytes;
}

/** The reverse. @returns undefined where the bytes are no commands */
export function decodeCommands(bytes: Buffer): LoggedCommand[] | undefined {
  let at = 0;
  const number = (): number => {
    if (at + 4 > bytes.length) throw new RangeError('the bytes end early');
    at += 4;
    return bytes.readUInt32LE(at - 4);
  };
  try {
    const commands: LoggedCommand[] = [];
    for (let left = number(); left > 0; left--) {
      const words: string[] = [];
      for (let wordsLeft = number(); wordsLeft > 0; wordsLeft--) {
        const length = number();
        if (at + length > bytes.length) return undefined;
        words.push(bytes.toString('latin1', at, at + length));
        at += length;
      }
      commands.push(words);
    }
    return at === bytes.length ? commands : undefined;
  } catch {
    return undefined;
  }
}
