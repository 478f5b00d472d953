import type { JsonObject } from '../json/Json.js';

/**
 * Index → collection → content of a document, for server functions. Empty: add the types that `millrace types` prints by
 * declaration merging (`interface CollectionMap extends Schema {}`).
 */
export interface CollectionMap {} // eslint-disable-line @typescript-eslint/no-empty-object-type

/** The content of documents of `index/collection`; any object if `CollectionMap` doesn't have the collection. */
export type ContentOf<N extends string> = N extends `${infer I}/${infer C}`
  ? I extends keyof CollectionMap
    ? C extends keyof CollectionMap[I]
      ? CollectionMap[I][C]
      : JsonObject
    : JsonObject
  : JsonObject;
