import type { DocumentMetadata, JsonObject, JsonValue } from '@millrace/kernel';

/*
 * The object that filters are tested against (FILTER-1, FILTER-5): the content, and for documents the four metadata
 * fields. These are added as keys with a dot: `_meta.author` finds such a key by its exact name, and `_meta` finds
 * nothing. Document content has no key that begins with `_`; a message may have one, which must not be mistaken for
 * metadata.
 */

const PREFIX = '_meta';

/** A document as seen by filters. */
export function toTestedDocument(content: JsonObject, meta: DocumentMetadata): JsonObject {
  const tested: Record<string, JsonValue> = { ...content };
  for (const [name, value] of Object.entries(meta)) {
    if (value !== null) tested[`${PREFIX}.${name}`] = value;
  }
  return tested;
}

/** A published message as seen by filters, without metadata. */
export function toTestedMessage(message: JsonObject): JsonObject {
  const keys = Object.keys(message);
  if (!keys.some(isLikeMetadata)) return message;
  return Object.fromEntries(Object.entries(message).filter(([key]) => !isLikeMetadata(key)));
}

function isLikeMetadata(key: string): boolean {
  return key === PREFIX || key.startsWith(`${PREFIX}.`);
}
