import type { JsonObject } from '../../json/Json.js';
import { schema } from '../../actions/schema.js';

/**
 * The metadata of a stored document (DOC-17): when it was created and last changed, in UTC milliseconds,
 * and by whom, as ids of users. Null: by an anonymous caller, not changed yet, or not known since the document was written
 * before metadata was kept. A type alias, so that it can be part of a result.
 */
export type DocumentMetadata = {
  readonly createdAt: number | null;
  readonly updatedAt: number | null;
  readonly author: string | null;
  readonly updater: string | null;
};

/** Who makes a write and when: what the metadata of documents is made from. */
export interface WriteStamp {
  /** UTC milliseconds. */
  readonly atMs: number;
  /** Null for anonymous callers. */
  readonly userId: string | null;
}

/** The metadata of documents that were written without a stamp. */
export const NO_DOCUMENT_METADATA: DocumentMetadata = Object.freeze({
  createdAt: null,
  updatedAt: null,
  author: null,
  updater: null,
});

/**
 * The metadata of a document after a write.
 * @param before of the document that is replaced; null: it is created
 */
export function stampMetadata(
  before: DocumentMetadata | null,
  { atMs, userId }: WriteStamp,
): DocumentMetadata {
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
