import type { JsonValue } from '@millrace/kernel';

/** How values of one field are checked. */
export interface FieldType {
  /** @returns the message where the value (never null, except for `anything`) is not valid */
  check(value: JsonValue, nowMs: number): string | undefined;
  /** Takes null elements of an array: `anything` alone. */
  readonly takesNull?: true;
  /** May have children; `isStrict` where the type says so itself. */
  readonly level?: { readonly isStrict: boolean | undefined };
}
