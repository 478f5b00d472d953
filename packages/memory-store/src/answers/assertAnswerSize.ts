import type { MemoryReply } from '@millrace/kernel';
import { BYTES_PER_STEP, type Steps } from '../steps/Steps.js';
import { answerTooLarge, MAX_ANSWER_BYTES } from './MAX_ANSWER_BYTES.js';

/** Replies with fewer parts are checked without allocating memory for a walk. */
const FEW_PARTS = 1_024;
/** The longest JSON of one character: `\u0000`. */
const MOST_PER_CHARACTER = 6;
/** Quotes and a comma. */
const PER_PART = 3;
const ESCAPED = /["\\\x00-\x1f]/g;

/** Whether a reply is within the limit for certain, without adding up its parts. */
export function isSurelyAnswerable(reply: MemoryReply): boolean {
  if (typeof reply === 'string') return reply.length * MOST_PER_CHARACTER <= MAX_ANSWER_BYTES;
  if (reply instanceof Uint8Array) return reply.length * 2 <= MAX_ANSWER_BYTES;
  if (!Array.isArray(reply)) return true;
  const parts = reply as readonly MemoryReply[];
  let most = 0;
  for (const part of parts) {
    if (typeof part === 'string') most += part.length * MOST_PER_CHARACTER;
    else if (part instanceof Uint8Array || Array.isArray(part)) return false;
  }
  return parts.length <= FEW_PARTS && most <= MAX_ANSWER_BYTES;
}

/**
 * Computes the size of a reply as JSON, without creating it.
 * @param total size of the other replies of the same answer; increased by this one
 * @throws memory.answer_too_large beyond `MAX_ANSWER_BYTES`
 */
export function* assertAnswerSize(reply: MemoryReply, total: { bytes: number }): Steps<void> {
  const parts: MemoryReply[] = [reply];
  let left = FEW_PARTS;
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    total.bytes += PER_PART;
    if (Array.isArray(part)) {
      // Long lists of the embedded engine are flat; nested ones are short.
      for (const each of part as readonly MemoryReply[]) parts.push(each);
    } else if (typeof part === 'string') {
      for (let at = 0; at < part.length; at += BYTES_PER_STEP) {
        total.bytes += jsonBytesOf(part.slice(at, at + BYTES_PER_STEP));
        if (total.bytes > MAX_ANSWER_BYTES) throw answerTooLarge();
        if (part.length > BYTES_PER_STEP) yield;
      }
    } else total.bytes += part instanceof Uint8Array ? Math.ceil(part.length / 3) * 4 : String(part).length;
    if (total.bytes > MAX_ANSWER_BYTES) throw answerTooLarge();
    if (--left > 0) continue;
    yield;
    left = FEW_PARTS;
  }
}

function jsonBytesOf(text: string): number {
  let bytes = Buffer.byteLength(text);
  if (text.search(ESCAPED) < 0) return bytes;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    // `\n` and a few others are shorter.
    if (code < 0x20) bytes += code >= 8 && code <= 13 && code !== 11 ? 1 : MOST_PER_CHARACTER - 1;
    else if (code === 0x22 || code === 0x5c) bytes++;
  }
  return bytes;
}
