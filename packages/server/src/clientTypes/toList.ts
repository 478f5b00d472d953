import type { JsonValue } from '@millrace/kernel';

/** A value as a list; what is no list is an empty one. */
export function toList(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}
