import type { JsonObject } from '@millrace/kernel';

/**
 * What the engine keeps inside each document: `v` the version as the contract counts it, `id` a copy of the id to sort
 * by. The service refuses document keys and field names that begin with `_`, so no request can reach it.
 */
export const METADATA = '_millrace';

/** Field of the version. */
export const VERSION_FIELD = `${METADATA}.v`;

/** Field of the id's copy. */
export const ID_FIELD = `${METADATA}.id`;

/** The part of every collection's mapping that describes `METADATA`. */
export const METADATA_MAPPING: JsonObject = {
  properties: { v: { type: 'long', index: false }, id: { type: 'keyword' } },
};

/** Fields that this takes from the server's limit on fields. */
export const METADATA_FIELD_COUNT = 3;
