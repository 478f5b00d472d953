import type { MaybePromise, MemoryReply } from '@millrace/kernel';
import { answerTooLarge, MAX_ANSWER_BYTES } from '../answers/MAX_ANSWER_BYTES.js';
import { BYTES_PER_STEP, mapInSteps, type Steps } from '../steps/Steps.js';
import type { Slices } from '../steps/Slices.js';
import { fromByteText } from './byteText.js';
import type { Reply } from '../keyspace/Reply.js';

/** Replies with up to this many parts and bytes are converted in one step. */
const FEW_PARTS = 256;
const FEW_BYTES = 65_536;
/** Maximum number of continuation bytes of a UTF-8 character. */
const MAX_CONTINUATIONS = 3;

/**
 * Converts a reply of the embedded engine to JSON. The reply no longer changes, so a large one is converted in slices
 * while other commands run.
 * @throws memory.answer_too_large for more than `MAX_ANSWER_BYTES`
 */
export function toMemoryReply(reply: Reply, slices: Slices): MaybePromise<MemoryReply> {
  if (isSmall(reply)) return convert(reply);
  return slices.run(convertInSteps(reply, { bytes: 0 }));
}

function isSmall(reply: Reply): boolean {
  if (typeof reply === 'string') return reply.length <= FEW_BYTES;
  if (!Array.isArray(reply)) return true;
  return reply.length <= FEW_PARTS && measure(reply, { parts: 0, bytes: 0 });
}

/** @returns false as soon as the limit is exceeded */
function measure(parts: readonly Reply[], total: { parts: number; bytes: number }): boolean {
  total.parts += parts.length;
  return parts.every((part) => {
    if (Array.isArray(part)) return measure(part as readonly Reply[], total);
    if (typeof part === 'string') total.bytes += part.length;
    return total.parts <= FEW_PARTS && total.bytes <= FEW_BYTES;
  });
}

function convert(reply: Reply): MemoryReply {
  if (Array.isArray(reply)) return (reply as readonly Reply[]).map(convert);
  return typeof reply === 'string' ? fromByteText(reply) : convertOther(reply);
}

function convertOther(reply: Reply): MemoryReply {
  if (typeof reply === 'bigint') return String(reply);
  // Expiry times far in the future: other numbers are always safe integers.
  if (typeof reply === 'number' && !Number.isSafeInteger(reply)) return String(BigInt(reply));
  return reply as MemoryReply;
}

function* convertInSteps(reply: Reply, total: { bytes: number }): Steps<MemoryReply> {
  if (Array.isArray(reply)) return yield* convertList(reply as readonly Reply[], total);
  if (typeof reply !== 'string') return convertOther(reply);
  count(reply, total);
  return yield* fromLargeByteText(reply);
}

function* convertList(parts: readonly Reply[], total: { bytes: number }): Steps<MemoryReply> {
  const isFlat = parts.every((part) => !Array.isArray(part) && (typeof part !== 'string' || part.length <= FEW_BYTES));
  if (isFlat) {
    return yield* mapInSteps(parts, (part) => {
      if (typeof part === 'string') count(part, total);
      return convert(part);
    });
  }
  const converted: MemoryReply[] = [];
  for (const part of parts) {
    converted.push(yield* convertInSteps(part, total));
    yield;
  }
  return converted;
}

/** Its JSON takes at least as many bytes. */
function count(text: string, total: { bytes: number }): void {
  total.bytes += text.length;
  if (total.bytes > MAX_ANSWER_BYTES) throw answerTooLarge();
}

/** As `fromByteText`, piece by piece, without splitting a character. */
function* fromLargeByteText(bytes: string): Steps<string> {
  let [text, isSame] = ['', true];
  for (let from = 0; from < bytes.length;) {
    const end = boundary(bytes, from + BYTES_PER_STEP);
    const piece = bytes.slice(from, end);
    const decoded = fromByteText(piece);
    isSame &&= decoded === piece;
    // V8 links the pieces without copying them.
    text += decoded;
    from = end;
    yield;
  }
  return isSame ? bytes : text;
}

/** The last position up to this one that doesn't split a UTF-8 character. */
function boundary(bytes: string, at: number): number {
  if (at >= bytes.length) return bytes.length;
  for (let back = 0; back <= MAX_CONTINUATIONS; back++)
    if ((bytes.charCodeAt(at - back) & 0xc0) !== 0x80) return at - back;
  return at;
}
