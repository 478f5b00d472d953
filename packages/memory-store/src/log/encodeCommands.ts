import { BYTES_PER_STEP, piecesInSteps, type Steps } from '../steps/Steps.js';

/** A command as stored in the log: byte strings, the name first. */
export type LoggedCommand = readonly string[];

/** Words written between two pause points. */
const WORDS_PER_STEP = 1_024;

/**
 * Encodes commands: their number, then for each command the number of words, then for each word its length and bytes;
 * all numbers are 32 bits, little-endian. The buffer begins with `headBytes` for the caller, and ends with `tailBytes`.
 */
export function* encodeInSteps(commands: readonly LoggedCommand[], headBytes = 0, tailBytes = 0): Steps<Buffer> {
  let length = headBytes + 4 + tailBytes;
  for (const words of commands) {
    length += 4;
    for (const word of words) length += 4 + word.length;
    yield;
  }
  const bytes = Buffer.allocUnsafe(length);
  let at = bytes.writeUInt32LE(commands.length, headBytes);
  let left = WORDS_PER_STEP;
  for (const words of commands) {
    at = bytes.writeUInt32LE(words.length, at);
    for (const word of words) {
      at = bytes.writeUInt32LE(word.length, at);
      if (word.length <= BYTES_PER_STEP) bytes.write(word, at, 'latin1');
      else yield* writeInSteps(bytes, word, at);
      at += word.length;
      if (--left > 0) continue;
      yield;
      left = WORDS_PER_STEP;
    }
  }
  return bytes;
}

function writeInSteps(bytes: Buffer, word: string, at: number): Steps<void> {
  return piecesInSteps(0, word.length, (from, end) => {
    bytes.write(word.slice(from, end), at + from, 'latin1');
  });
}

/** The inverse. @returns undefined if the bytes aren't valid commands */
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
