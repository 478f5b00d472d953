import { endOfString } from './endOfString.js';
import { isJsonObject } from './Json.js';

/*
 * A message that is nested too deeply is not parsed, yet its sender expects an answer with its own `requestId`. So the
 * outermost object is copied with `null` instead of every nested object and list, and that copy is parsed.
 */
const QUOTE = 0x22;
const OPEN: ReadonlySet<number | undefined> = new Set([0x5b, 0x7b]);
const CLOSE: ReadonlySet<number | undefined> = new Set([0x5d, 0x7d]);

/** The string members of the outermost object of a message, by name; none if it is no JSON object. Never throws. */
export function outermostTexts(bytes: Buffer): Readonly<Record<string, string>> {
  try {
    const value: unknown = JSON.parse(outermost(bytes));
    if (!isJsonObject(value)) return {};
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, each]) => (typeof each === 'string' ? [[name, each]] : [])),
    );
  } catch {
    return {};
  }
}

function outermost(bytes: Buffer): string {
  let text = '';
  let depth = 0;
  let start = 0;
  for (let position = 0; position < bytes.length; position++) {
    const byte = bytes[position];
    if (byte === QUOTE) position = endOfString(bytes, position + 1);
    else if (OPEN.has(byte)) {
      if (++depth === 2) text += `${bytes.toString('utf8', start, position)}null`;
    } else if (CLOSE.has(byte) && --depth === 1) start = position + 1;
  }
  return text + bytes.toString('utf8', start);
}
