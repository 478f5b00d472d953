/**
 * The collections of an application: index → collection → content of a document. Written by hand, or by
 * `npx millrace types`:
 *
 * ```ts
 * interface Schema {
 *   city: { stations: Station };
 * }
 * ```
 */
export type SchemaLike = object;

/** Names of the indexes of a schema. */
export type IndexName<S extends SchemaLike> = keyof S & string;

/** Names of the collections of an index. */
export type CollectionName<S extends SchemaLike, I extends IndexName<S>> = keyof S[I] & string;

/** The schema of a client without one: any collection, with documents of unknown content. */
export interface AnySchema {
  readonly [index: string]: { readonly [collection: string]: AnyContent };
}

/** Content of documents without a declared type. */
export interface AnyContent {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  [field: string]: any;
}
