import { memoryErrors } from '@millrace/kernel';
import { answerTooLarge, MAX_ANSWER_BYTES } from '../answers/MAX_ANSWER_BYTES.js';
import { BYTES_PER_STEP, piecesInSteps, type Steps } from '../steps/Steps.js';

/**
 * Maximum numbers of elements that one command may process, by the work per element: about a quarter of a second in
 * total, in slices (measured in decision 0014).
 */
export const MAX_ELEMENTS = 1_000_000;
/** For elements that are looked up in sets, or added to another one. */
export const MAX_COMBINED_ELEMENTS = 500_000;
/** For elements that are sorted, or added to a sorted set. */
export const MAX_SORTED_ELEMENTS = 250_000;
/** For keys that are compared with a pattern. */
export const MAX_MATCHED_KEYS = 4_000_000;

/** @throws memory.command_too_large */
export function assertElements(count: number, limit = MAX_ELEMENTS): void {
  if (count > limit) throw memoryErrors.command_too_large({ amount: count, limit, unit: 'elements' });
}

/** Maximum bytes of strings that one command may process: two of the longest values. */
export const MAX_INPUT_BYTES = 134_217_728;

/** @throws memory.command_too_large */
export function assertBytes(bytes: number): void {
  if (bytes > MAX_INPUT_BYTES)
    throw memoryErrors.command_too_large({ amount: bytes, limit: MAX_INPUT_BYTES, unit: 'bytes' });
}

/** The longest JSON of one byte: `\u0000`. */
const MOST_PER_BYTE = 6;
/** Quotes and a comma. */
const PER_STRING = 3;

/**
 * Refuses a command that removes what it returns if the answer would be too large, before anything is removed: the data
 * would be lost. Bytes that may be invalid UTF-8 are counted as U+FFFD.
 * @throws memory.answer_too_large
 */
export function* assertAnswerable(texts: Iterable<string>): Steps<void> {
  const held: string[] = [];
  let most = 0;
  for (const text of texts) {
    held.push(text);
    most += MOST_PER_BYTE * text.length + PER_STRING;
    if (held.length % 512 === 0) yield;
  }
  if (most <= MAX_ANSWER_BYTES) return;
  let bytes = 0;
  for (const text of held) {
    yield* piecesInSteps(
      0,
      text.length,
      (from, end) => {
        bytes += jsonBytesOf(text, from, end);
        if (bytes > MAX_ANSWER_BYTES) throw answerTooLarge();
      },
      BYTES_PER_STEP / 4,
    );
    bytes += PER_STRING;
  }
}

function jsonBytesOf(text: string, from: number, end: number): number {
  let bytes = 0;
  for (let at = from; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20) bytes += MOST_PER_BYTE;
    else if (code >= 0x80) bytes += 3;
    else bytes += code === 0x22 || code === 0x5c ? 2 : 1;
  }
  return bytes;
}
