/*
 * Parsers for messages that services send to their counterparts on other nodes. The messages come through Redis, so
 * their form is checked before use; a malformed one is an error, which the link counts before it drops the message.
 */
import { isJsonObject, type JsonObject } from '../../json/Json.js';
import type { CollectionName } from '../storage/StorageEngine.js';

/** The error for a malformed message of another node. `expected` is the expected form, such as `an object`. */
export function malformedMessage(expected: string): Error {
  return new Error(`malformed message of another node: expected ${expected}`);
}

/** Parses the body of a message of another node. @throws if it is no JSON object */
export function readNodeMessage(body: string): JsonObject {
  const value: unknown = JSON.parse(body);
  if (!isJsonObject(value)) throw malformedMessage('an object');
  return value;
}

/** A collection as the key of messages about it: names contain no slash. */
export function toCollectionKey({ index, collection }: CollectionName): string {
  return `${index}/${collection}`;
}

/** The inverse of `toCollectionKey`. @throws for an invalid key */
export function readCollectionKey(key: string): CollectionName {
  const [index = '', collection = '', ...more] = key.split('/');
  if (index === '' || collection === '' || more.length > 0) throw malformedMessage('a collection');
  return { index, collection };
}
