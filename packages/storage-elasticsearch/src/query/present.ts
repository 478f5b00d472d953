import type { JsonObject, JsonValue } from '@millrace/language';

/** The entries that have a value. Drops options that were not given. */
export function present(entries: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const kept = Object.entries(entries).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined);
  return Object.fromEntries(kept);
}
