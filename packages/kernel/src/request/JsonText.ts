import type { JsonValue } from '../json/Json.js';

/**
 * The result of an action as JSON text, where it is at hand as such (a stored document): `encodeMessage` puts the text into
 * the response as it stands, which costs a fifth of parsing it and writing it anew. Whoever looks at the result gets the value.
 */
export class JsonText {
  private parsed: { readonly value: JsonValue } | undefined;

  /** @param text JSON as `JSON.stringify` writes it */
  constructor(readonly text: string) {}

  /** The value, parsed when it is first asked for. */
  get value(): JsonValue {
    this.parsed ??= { value: JSON.parse(this.text) as JsonValue };
    return this.parsed.value;
  }
}
