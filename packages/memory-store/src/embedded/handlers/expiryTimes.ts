import { failure, NOT_AN_INTEGER } from '../failure.js';
import { asBigInteger, wordAt } from '../words.js';

const MAX_MS = 2n ** 63n - 1n;

/** The form of an expiry: in seconds or milliseconds, relative to now or as a time. */
export interface ExpiryForm {
  readonly unitMs: bigint;
  readonly isAbsolute: boolean;
}

/** The forms by the name of their option. */
export const EXPIRY_FORMS: Readonly<Record<string, ExpiryForm>> = {
  EX: { unitMs: 1000n, isAbsolute: false },
  PX: { unitMs: 1n, isAbsolute: false },
  EXAT: { unitMs: 1000n, isAbsolute: true },
  PXAT: { unitMs: 1n, isAbsolute: true },
};

/**
 * Converts an expiry to UTC milliseconds.
 * @param command the name in the message if the time is out of range
 * @param minimum smallest allowed value
 */
export function expiryTime(
  words: readonly string[],
  at: number,
  form: ExpiryForm,
  { nowMs, command, minimum }: { readonly nowMs: number; readonly command: string; readonly minimum?: bigint },
): number {
  const given = asBigInteger(wordAt(words, at));
  if (given === undefined) throw failure(NOT_AN_INTEGER);
  const ms = given * form.unitMs;
  const atMs = form.isAbsolute ? ms : ms + BigInt(nowMs);
  const isOut = ms > MAX_MS || ms < -MAX_MS || atMs > MAX_MS || atMs < -MAX_MS;
  if (isOut || (minimum !== undefined && given < minimum))
    throw failure(`ERR invalid expire time in '${command}' command`);
  return Number(atMs);
}
