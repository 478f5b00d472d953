import type { JsonObject, JsonValue } from '@millrace/kernel';

/** A call and its result: an action, the fields of its message, and what it gives; a text under `refused` is an error. */
export type MemoryStoreCall = readonly [
  action: string,
  fields: JsonObject,
  result: JsonValue | { readonly refused: string },
];

/** A title that says what a user sees, and calls made one after the other on an empty store. */
export type MemoryStoreStory = readonly [title: string, calls: readonly MemoryStoreCall[]];
