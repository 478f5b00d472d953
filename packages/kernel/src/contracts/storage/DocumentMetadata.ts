import type { JsonObject } from '../../json/Json.js';
import { schema } from '../actions/schema.js';

/**
 * The metadata of a stored document (DOC-17): when it was created and last changed, in UTC milliseconds, and by which
 * user ids. Null: by an anonymous caller, not changed yet, or unknown because the document was written before metadata
 * was stored. A type alias, so that it can be part of a result.
 */
export type DocumentMetadata = {
  readonly createdAt: number | null;
  readonly updatedAt: number | null;
  readonly author: string | null;
  readonly updater: string | null;
};

/** User and time of a write, from which the metadata of documents is built. */
export interface WriteStamp {
  /** UTC milliseconds. */
  readonly atMs: number;
  /** Null for anonymous callers. */
  readonly userId: string | null;
}

/** The metadata of documents written without a stamp. */
export const NO_DOCUMENT_METADATA: DocumentMetadata = Object.freeze({
  createdAt: null,
  updatedAt: null,
  author: null,
  updater: null,
});

/**
 * The metadata of a document after a write.
 * @param before metadata of the replaced document; null for a new one
 */
export function stampMetadata(before: DocumentMetadata | null, { atMs, userId }: WriteStamp): DocumentMetadata {
  return before === null
    ? { createdAt: atMs, updatedAt: null, author: userId, updater: null }
    : { ...before, updatedAt: atMs, updater: userId };
}

const { text, integer, object, orNull, named } = schema;
const time = orNull({ ...integer(), description: 'UTC milliseconds.' });

/** JSON Schema of `_meta` in results and notifications. */
export const DOCUMENT_METADATA_SCHEMA: JsonObject = named(
  'DocumentMetadata',
  object({ createdAt: time, updatedAt: time, author: orNull(text), updater: orNull(text) }),
  'When the document was created and last changed, and by which users. Null: anonymous, not changed yet, or not known.',
);
