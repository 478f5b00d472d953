import { showValue, type JsonValue, type MemoryReply } from '@millrace/kernel';
import { roundDecimal } from '../roundDecimal.js';
import { ELEMENTS_PER_STEP, runToEnd, type Steps } from '../steps/Steps.js';

const SHOWN_DIGITS = 15;

/** The unchanged reply, which is JSON already. */
export function asIs(reply: MemoryReply): JsonValue {
  if (reply instanceof Uint8Array) throw new Error(`bytes where text was due: ${showValue(reply)}`);
  return reply as JsonValue;
}

/** `hgetall`: an object of field → string; `__proto__` is an ordinary own property (MEM-22). */
export function asObject(reply: MemoryReply): JsonValue {
  return runToEnd(asObjectInSteps(reply));
}

/** As `asObject`, in steps. */
export function* asObjectInSteps(reply: MemoryReply): Steps<JsonValue> {
  const flat = reply as readonly string[];
  const object: Record<string, JsonValue> = {};
  for (let at = 0; at < flat.length; at += 2) {
    const [field = '', value = ''] = [flat[at], flat[at + 1]];
    if (field === '__proto__')
      Object.defineProperty(object, field, { value, enumerable: true, configurable: true, writable: true });
    else object[field] = value;
    if (at % ELEMENTS_PER_STEP === 0) yield;
  }
  return object;
}

/** `dump`: standard base64 of the bytes. */
export function asBase64(reply: MemoryReply): JsonValue {
  return reply instanceof Uint8Array ? Buffer.from(reply).toString('base64') : null;
}

/** A float increment, with 15 significant digits (MEM-24). */
export function shownFloat(reply: MemoryReply): JsonValue {
  return typeof reply === 'string' ? roundDecimal(reply, SHOWN_DIGITS) : asIs(reply);
}
