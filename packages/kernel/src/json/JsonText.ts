import type { JsonValue } from './Json.js';
import { shareClass } from '../copies/shareClass.js';

/** A part of a JSON text: a string, or its bytes in UTF-8. */
export type JsonPart = string | Uint8Array;

/**
 * The result of an action as JSON text, if it is available in that form (a stored document): `encodeMessage` copies the
 * text into the response, which takes a fifth of the time of parsing and stringifying it. Code that reads the result
 * gets the value.
 */
export class JsonText {
  private parsed: { readonly value: JsonValue } | undefined;

  /** @param content JSON as `JSON.stringify` writes it, in parts if it is long: bytes are then sent without a copy */
  constructor(private readonly content: string | readonly JsonPart[]) {}

  /** Length in characters; in bytes for parts that are bytes. */
  get length(): number {
    const { content } = this;
    if (typeof content === 'string') return content.length;
    return content.reduce((sum, part) => sum + part.length, 0);
  }

  get parts(): readonly JsonPart[] {
    return typeof this.content === 'string' ? [this.content] : this.content;
  }

  get text(): string {
    const { content } = this;
    return typeof content === 'string' ? content : content.map(toText).join('');
  }

  /** The value, parsed when it is first read. */
  get value(): JsonValue {
    this.parsed ??= { value: JSON.parse(this.text) as JsonValue };
    return this.parsed.value;
  }
}

function toText(part: JsonPart): string {
  return typeof part === 'string' ? part : Buffer.from(part.buffer, part.byteOffset, part.byteLength).toString();
}

shareClass(JsonText, 'JsonText');
