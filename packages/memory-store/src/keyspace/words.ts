import { failure, NOT_A_FLOAT, NOT_AN_INTEGER, SYNTAX_ERROR } from './failure.js';

const INTEGER = /^(?:0|-?[1-9]\d{0,18})$/;
const FLOAT = /^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|inf(?:inity)?)$/i;
const MAX = 2n ** 63n - 1n;
const MIN = -(2n ** 63n);
const SAFE_DIGITS = 15;

/** The word at a position. @throws ERR syntax error if it is missing */
export function wordAt(words: readonly string[], at: number): string {
  const word = words[at];
  if (word === undefined) throw failure(SYNTAX_ERROR);
  return word;
}

/** Parses a 64-bit integer as Redis writes it; undefined for anything else, such as `007` or `+1`. */
export function asBigInteger(word: string): bigint | undefined {
  if (!INTEGER.test(word)) return undefined;
  const number = BigInt(word);
  return number > MAX || number < MIN ? undefined : number;
}

/** Parses an integer, approximately beyond 2^53: for positions and counts. @throws the given message */
export function integerAt(words: readonly string[], at: number, message = NOT_AN_INTEGER): number {
  const word = wordAt(words, at);
  if (word.length > SAFE_DIGITS ? asBigInteger(word) === undefined : !INTEGER.test(word)) throw failure(message);
  return Number(word);
}

/** Parses an integer with a minimum. @throws the given message */
export function countAt(words: readonly string[], at: number, message: string, minimum = 0): number {
  const count = integerAt(words, at);
  if (count < minimum) throw failure(message);
  return count;
}

/** Parses a double as `strtod` does; undefined for anything else. */
export function asFloat(word: string): number | undefined {
  if (!FLOAT.test(word)) return undefined;
  if (/inf/i.test(word)) return word.startsWith('-') ? -Infinity : Infinity;
  const number = Number(word);
  return Number.isFinite(number) ? number : undefined;
}

/** @throws the given message */
export function floatAt(words: readonly string[], at: number, message = NOT_A_FLOAT): number {
  const number = asFloat(wordAt(words, at));
  if (number === undefined) throw failure(message);
  return number;
}

/** Converts a big integer to a reply. */
export function toReply(number: bigint): number | bigint {
  const small = Number(number);
  return Number.isSafeInteger(small) ? small : number;
}

/** First and last position of a range; negative ends count from the end. Empty: first > last. */
export function toRange(start: number, stop: number, size: number): [number, number] {
  const first = start < 0 ? Math.max(0, size + start) : start;
  const last = stop < 0 ? size + stop : Math.min(stop, size - 1);
  return [first, last];
}

/** `numkeys key…`: the keys, and the words after them. */
export function readKeyCount(
  args: readonly string[],
  message = 'ERR numkeys should be greater than 0',
): { readonly keys: readonly string[]; readonly rest: readonly string[] } {
  const count = Number(wordAt(args, 0));
  if (!Number.isInteger(count) || count < 1) throw failure(message);
  if (count > args.length - 1) throw failure(SYNTAX_ERROR);
  return { keys: args.slice(1, count + 1), rest: args.slice(count + 1) };
}
