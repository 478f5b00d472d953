import { isUtf8 } from 'node:buffer';
import type { JsonValue } from './Json.js';
import { hasInfinity } from './hasInfinity.js';
import { isDeeperThan } from './isDeeperThan.js';

/** Levels of arrays and objects in a message (decisions.md section 2). */
const MAX_DEPTH = 200;

/** JSON text as a value, or what is wrong with it; `isLimit` where it may be JSON, but more than we take. */
export type ParsedJson =
  { readonly value: JsonValue } | { readonly problem: string; readonly isLimit: boolean };

/** Parses JSON in UTF-8. Never throws. @param isKnownUtf8 true where that has been checked */
export function parseJson(bytes: Buffer, isKnownUtf8 = false): ParsedJson {
  if (!isKnownUtf8 && !isUtf8(bytes)) return { problem: 'it is not valid UTF-8', isLimit: false };
  if (isDeeperThan(bytes, MAX_DEPTH)) {
    return { problem: `it is nested deeper than ${MAX_DEPTH} levels`, isLimit: true };
  }
  // RFC 8259 section 8.1: a byte order mark may be ignored.
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  try {
    const text = bytes.toString('utf8', hasMark ? 3 : 0);
    const value = JSON.parse(text) as JsonValue;
    if (!hasInfinity(text, value)) return { value };
    return { problem: 'it has a number beyond ±1.8e308, the range of doubles', isLimit: true };
  } catch (error) {
    return { problem: (error as Error).message, isLimit: false };
  }
}
