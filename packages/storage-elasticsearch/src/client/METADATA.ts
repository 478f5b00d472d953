import { NO_DOCUMENT_METADATA, type DocumentMetadata, type JsonObject } from '@millrace/kernel';

/**
 * The engine's metadata inside each document: `v` is the version as the contract counts it, `id` a copy of the id to
 * sort by. The service refuses document keys and field names that begin with `_`, so no request can reach it.
 */
export const METADATA = '_millrace';

/** Field that holds the version. */
export const VERSION_FIELD = `${METADATA}.v`;

/** Field that holds the copy of the id. */
export const ID_FIELD = `${METADATA}.id`;

/**
 * The metadata that the service keeps of a document (`DocumentMetadata`), without null values. Its fields have the
 * names that queries use, so that queries pass them unchanged.
 */
export const DOCUMENT_METADATA = '_meta';

/** Metadata fields in every collection's mapping, in addition to the user's fields. */
export const METADATA_PROPERTIES: JsonObject = {
  [METADATA]: { properties: { v: { type: 'long', index: false }, id: { type: 'keyword' } } },
  [DOCUMENT_METADATA]: {
    properties: {
      createdAt: { type: 'date' },
      updatedAt: { type: 'date' },
      author: { type: 'keyword' },
      updater: { type: 'keyword' },
    },
  },
};

/** Number of these fields that count towards Elasticsearch's field limit. */
export const METADATA_FIELD_COUNT = 8;

/** Reads the metadata of a document from the value of `DOCUMENT_METADATA`. */
export function readMetadata(kept: unknown): DocumentMetadata {
  return { ...NO_DOCUMENT_METADATA, ...(kept as Partial<DocumentMetadata> | undefined) };
}
