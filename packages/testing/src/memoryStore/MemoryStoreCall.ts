import type { JsonObject, JsonValue } from '@millrace/kernel';

/**
 * A call and its expected result: an action, the fields of its message, and the result; a string under `refused` is an
 * error message.
 */
export type MemoryStoreCall = readonly [
  action: string,
  fields: JsonObject,
  result: JsonValue | { readonly refused: string },
];

/** A title that describes user-visible behaviour, and calls made one after the other on an empty store. */
export type MemoryStoreStory = readonly [title: string, calls: readonly MemoryStoreCall[]];
