import {
  alsoInBody,
  boolean,
  collectionName,
  custom,
  documentId,
  indexName,
  integer,
  refreshArgument,
  required,
  schema,
  text,
  type CheckedCollection,
  type JsonValue,
} from '@millrace/kernel';

const DOCUMENT_LIST = {
  type: 'array',
  items: schema.object({ body: { type: 'object' } }, { _id: schema.text }),
};
const ID_LIST = { type: 'array', items: { type: 'string' } };

function toTextList(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.every((item) => typeof item === 'string') ? value : undefined;
}

function toList(value: unknown): readonly JsonValue[] | undefined {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : undefined;
}

/** Arguments that several storage actions share, by name. */
export const storageArguments = {
  index: required(indexName()),
  collection: required(collectionName()),
  _id: required(documentId()),
  /** For documents in a body, which may contain their id. */
  documentId: alsoInBody(required(documentId())),
  optionalDocumentId: alsoInBody(documentId()),
  refresh: refreshArgument(),
  /** Suppresses notifications. */
  silent: boolean(),
  ifVersion: integer(0),
  from: integer(0),
  size: integer(0),
  scroll: alsoInBody(text()),
  ids: alsoInBody(required(custom('a list of strings', ID_LIST, toTextList))),
  indexes: alsoInBody(custom('a list of index names', ID_LIST, toTextList)),
  documents: alsoInBody(required(custom('a list of {"_id", "body"} objects', DOCUMENT_LIST, toList))),
  bulkData: alsoInBody(
    required(custom('a list of action and document lines', { type: 'array', items: { type: 'object' } }, toList)),
  ),
  autoRefresh: alsoInBody(
    required(custom('true or false', { type: 'boolean' }, (value) => (typeof value === 'boolean' ? value : undefined))),
  ),
} as const;

/** The collection that an action's arguments name, without the other arguments. */
export function nameOf({ index, collection }: CheckedCollection): CheckedCollection {
  return { index, collection };
}
