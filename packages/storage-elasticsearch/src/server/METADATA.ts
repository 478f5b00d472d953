import { NO_DOCUMENT_METADATA, type DocumentMetadata, type JsonObject } from '@millrace/kernel';

/**
 * What the engine keeps inside each document: `v` the version as the contract counts it, `id` a copy of the id to sort
 * by. The service refuses document keys and field names that begin with `_`, so no request can reach it.
 */
export const METADATA = '_millrace';

/** Field of the version. */
export const VERSION_FIELD = `${METADATA}.v`;

/** Field of the id's copy. */
export const ID_FIELD = `${METADATA}.id`;

/**
 * The metadata that the service keeps of a document (`DocumentMetadata`), without what is null. Its fields have the names
 * that queries use, so that these are sent as they are.
 */
export const DOCUMENT_METADATA = '_meta';

/** What every collection's mapping holds in addition to the fields of the user. */
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

/** Fields that these take from the server's limit on fields. */
export const METADATA_FIELD_COUNT = 8;

/** The metadata of a document, from what `DOCUMENT_METADATA` holds. */
export function readMetadata(kept: unknown): DocumentMetadata {
  return { ...NO_DOCUMENT_METADATA, ...(kept as Partial<DocumentMetadata> | undefined) };
}
