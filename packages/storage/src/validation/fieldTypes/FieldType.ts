import type { JsonValue } from '@millrace/kernel';

/** The check of one field's values. */
export interface FieldType {
  /** @returns the message if the value (never null, except for `anything`) is invalid */
  check(value: JsonValue, nowMs: number): string | undefined;
  /** Accepts null elements of an array: `anything` only. */
  readonly takesNull?: true;
  /** May have children; `isStrict` if the type determines it. */
  readonly level?: { readonly isStrict: boolean | undefined };
}
