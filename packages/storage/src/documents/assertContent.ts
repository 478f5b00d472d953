import { documentErrors, apiErrors, showValue, type JsonObject } from '@millrace/kernel';

const UNDERSCORE = 95;

/** Refuses top-level keys that begin with `_` (DOC-14). @throws document.reserved_key (400) */
export function assertContent(source: JsonObject): void {
  for (const key of Object.keys(source)) {
    if (key.charCodeAt(0) === UNDERSCORE) {
      throw documentErrors.reserved_key({ key: key.length > 80 ? `${key.slice(0, 80)}…` : key });
    }
  }
}

/** A document and the id it contained. */
interface SeparatedId {
  readonly id: string | undefined;
  readonly content: JsonObject;
}

/**
 * Removes `_id` from a document: it is the document's id unless another is given (DOC-14).
 * @throws api.invalid_argument (400) for an `_id` that is no string
 */
export function separateId(document: JsonObject): SeparatedId {
  if (!Object.hasOwn(document, '_id')) return { id: undefined, content: document };
  const { _id: id, ...content } = document;
  if (id === null || id === undefined) return { id: undefined, content };
  if (typeof id === 'string') return { id, content };
  throw apiErrors.invalid_argument({ name: '_id', value: showValue(id), expected: 'a string' });
}
