import { apiErrors, showValue, type JsonObject } from '@millrace/kernel';

/** A document and the id it names itself. */
export interface SeparatedId {
  readonly id: string | undefined;
  readonly content: JsonObject;
}

/**
 * Takes `_id` out of a document: it names the document where nothing else does (DOC-14).
 * @throws api.invalid_argument (400) for an `_id` that is no text
 */
export function separateId(document: JsonObject): SeparatedId {
  if (!Object.hasOwn(document, '_id')) return { id: undefined, content: document };
  const { _id: id, ...content } = document;
  if (id === null || id === undefined) return { id: undefined, content };
  if (typeof id === 'string') return { id, content };
  throw apiErrors.invalid_argument({ name: '_id', value: showValue(id), expected: 'a string' });
}
