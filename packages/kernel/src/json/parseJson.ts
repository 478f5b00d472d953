import { isUtf8 } from 'node:buffer';
import type { JsonValue } from './Json.js';
import { hasInfinity } from './hasInfinity.js';
import { weighJson } from './weighJson.js';

/** Maximum nesting of arrays and objects in a message (PROTO-3). */
export const MAX_DEPTH = 200;

export const TOO_DEEP: JsonProblem = {
  problem: `it is nested deeper than ${MAX_DEPTH} levels`,
  isLimit: true,
};
export const NOT_UTF8: JsonProblem = { problem: 'it is not valid UTF-8', isLimit: false };
export const TOO_LARGE_NUMBER: JsonProblem = {
  problem: 'it has a number beyond ±1.8e308, the range of doubles',
  isLimit: true,
};

/** Why JSON text is refused; `isLimit` if it may be JSON, but exceeds a limit. */
export interface JsonProblem {
  readonly problem: string;
  readonly isLimit: boolean;
}

/** JSON text as a value and its approximate memory in bytes (0 for short text), or the problem with it. */
export type ParsedJson = { readonly value: JsonValue; readonly bytes: number } | JsonProblem;

/** Parses JSON in UTF-8. Never throws. @param isKnownUtf8 true if the encoding has been checked */
export function parseJson(bytes: Buffer, isKnownUtf8 = false): ParsedJson {
  if (!isKnownUtf8 && !isUtf8(bytes)) return NOT_UTF8;
  const weight = weighJson(bytes, MAX_DEPTH);
  if (weight < 0) return TOO_DEEP;
  // RFC 8259 section 8.1: a byte order mark may be ignored.
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  try {
    const text = bytes.toString('utf8', hasMark ? 3 : 0);
    const value = JSON.parse(text) as JsonValue;
    return hasInfinity(text, value) ? TOO_LARGE_NUMBER : { value, bytes: weight };
  } catch (error) {
    return { problem: (error as Error).message, isLimit: false };
  }
}
