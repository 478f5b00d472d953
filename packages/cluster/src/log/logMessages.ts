/*
 * Messages of the change log in the stream. `<ref>` names an intent of the sender: the number of its message.
 *
 *   log.intent    a write that is about to be made; key: its documents
 *   log.change    a change that was made; key: `<ref> <collection>`
 *   log.done      an intent whose changes have all been sent; key: `<ref>`
 *   log.wiped     all documents of a collection were removed at once; key: `<ref> <collection>`, body: `silent` or empty
 *   log.lost      changes of a collection (none: of any) are missing here, and subscribers may have missed them; body: why
 *   log.covered   all nodes record a collection from here on; body: the position, if it was earlier
 *   log.uncovered no node records a collection from here on
 *   log.epoch     the log has another epoch from here on
 *   log.gone      a node died, and its intents are closed; key: the node, body: the collections of which changes are lost
 *   log.erased    earlier changes of a collection can't be read any more
 */
import {
  isJsonObject,
  malformedMessage,
  NO_DOCUMENT_METADATA,
  readCollectionKey,
  readNodeMessage,
  type ChangeOrigin,
  type CollectionName,
  type DocumentImage,
  type LoggedChange,
  type DocumentMetadata,
  type JsonValue,
} from '@millrace/kernel';

export const INTENT = 'log.intent';
export const CHANGE = 'log.change';
export const DONE = 'log.done';
export const WIPED = 'log.wiped';
/** The body of a loss that follows a change which was recorded after unrecorded writes to its collection. */
export const OVERTAKEN = 'a change was recorded after later writes that are not recorded';
/** The body of a removal of which subscribers are not notified. */
export const SILENT = 'silent';
export const LOST = 'log.lost';
export const COVERED = 'log.covered';
export const UNCOVERED = 'log.uncovered';
export const GONE = 'log.gone';
export const EPOCH = 'log.epoch';
export const ERASED = 'log.erased';
/** A change that subscribers receive, but that isn't recorded. */
export const UNRECORDED = 'realtime.change';

/** A change as the stream carries it. */
export type ChangeBody = Omit<LoggedChange, 'kind' | 'cursor'>;

/** Splits the key of a change, a wipe. @throws if it is malformed */
export function readRefKey(key: string): { readonly ref: string; readonly collection: string } {
  const at = key.indexOf(' ');
  if (at < 1) throw malformedMessage('an intent and a collection');
  return { ref: key.slice(0, at), collection: key.slice(at + 1) };
}

/** @throws if it is malformed */
export function readChangeBody(body: string): ChangeBody {
  const { id, before, after, atMs, origin, isSilent } = readNodeMessage(body);
  const isChange = typeof id === 'string' && typeof atMs === 'number' && typeof isSilent === 'boolean';
  if (!isChange || (before === null && after === null)) throw malformedMessage('a change');
  return { id, before: readImage(before), after: readImage(after), atMs, origin: readOrigin(origin), isSilent };
} // prettier-ignore

/** The documents of an intent as `[collection, id]`; of a removal at once, the collections alone. */
export function readIntentKey(key: string): readonly (readonly [string, string?])[] {
  const list: unknown = JSON.parse(key);
  const isPair = (each: unknown): each is [string, string?] =>
    Array.isArray(each) && each.length > 0 && each.every((part) => typeof part === 'string');
  if (!Array.isArray(list) || !list.every(isPair)) throw malformedMessage('a list of documents');
  for (const [collection] of list) readCollectionKey(collection);
  return list;
}

/** The collections of which changes are lost with a node. @throws if it is malformed */
export function readLostKeys(body: string): readonly string[] {
  const list: unknown = JSON.parse(body);
  const isText = (each: unknown): each is string => typeof each === 'string';
  if (!Array.isArray(list) || !list.every(isText)) throw malformedMessage('a list of collections');
  for (const key of list) readCollectionKey(key);
  return list;
}

/** The collection that a message concerns; null: all. @throws if it is malformed */
export function readScope(key: string): CollectionName | null {
  return key === '' ? null : readCollectionKey(key);
}

function readImage(value: JsonValue | undefined): DocumentImage | null {
  if (value === null) return null;
  if (!isJsonObject(value)) throw malformedMessage('a document');
  const { source, meta, version } = value;
  if (!isJsonObject(source) || typeof version !== 'number') throw malformedMessage('a document');
  return { source, version, meta: readMetadata(meta) };
}

function readMetadata(value: JsonValue | undefined): DocumentMetadata {
  if (!isJsonObject(value)) throw malformedMessage('metadata');
  const { createdAt, updatedAt, author, updater } = value;
  const time = (each: unknown) => (typeof each === 'number' ? each : null);
  const user = (each: unknown) => (typeof each === 'string' ? each : null);
  return {
    ...NO_DOCUMENT_METADATA,
    createdAt: time(createdAt),
    updatedAt: time(updatedAt),
    author: user(author),
    updater: user(updater),
  };
}

function readOrigin(value: JsonValue | undefined): ChangeOrigin | null {
  if (value === null) return null;
  if (!isJsonObject(value)) throw malformedMessage('an origin');
  const { requestId, metadata } = value;
  if (typeof requestId !== 'string' || !isJsonObject(metadata)) throw malformedMessage('an origin');
  return { requestId, metadata };
}
