import type { JsonValue } from '@millrace/kernel';

/** A list as it is; an empty one for any other value. */
export function toList(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}
