import { showValue, type JsonValue, type MemoryReply } from '@millrace/kernel';
import { roundDecimal } from '../roundDecimal.js';

const SHOWN_DIGITS = 15;

/** A reply as it is: JSON already. */
export function asIs(reply: MemoryReply): JsonValue {
  if (reply instanceof Uint8Array) throw new Error(`bytes where text was due: ${showValue(reply)}`);
  return reply as JsonValue;
}

/** `hgetall`: an object of field → text; `__proto__` is an ordinary own property (memory-store.md 1.4). */
export function asObject(reply: MemoryReply): JsonValue {
  const flat = reply as readonly string[];
  const entries: [string, string][] = [];
  for (let at = 0; at < flat.length; at += 2) entries.push([flat[at] ?? '', flat[at + 1] ?? '']);
  return Object.fromEntries(entries);
}

/** `dump`: standard base64 of the bytes. */
export function asBase64(reply: MemoryReply): JsonValue {
  return reply instanceof Uint8Array ? Buffer.from(reply).toString('base64') : null;
}

/** A float increment shows 15 significant digits (memory-store.md 1.4 rule 7). */
export function shownFloat(reply: MemoryReply): JsonValue {
  return typeof reply === 'string' ? roundDecimal(reply, SHOWN_DIGITS) : asIs(reply);
}
