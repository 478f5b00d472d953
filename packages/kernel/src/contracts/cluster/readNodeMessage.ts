/*
 * The form of what services say to themselves on other nodes. It came through Redis, so its form is checked before
 * anything rests on it; what hasn't the form is an error, which the link counts and drops.
 */
import { isJsonObject, type JsonObject } from '../../json/Json.js';
import type { CollectionName } from '../storage/StorageEngine.js';

/** The error for a message of another node that has not the form expected, such as `an object`. */
export function malformedMessage(expected: string): Error {
  return new Error(`malformed message of another node: expected ${expected}`);
}

/** The body of a message of another node. @throws for what is no JSON object */
export function readNodeMessage(body: string): JsonObject {
  const value: unknown = JSON.parse(body);
  if (!isJsonObject(value)) throw malformedMessage('an object');
  return value;
}

/** A collection, as the key of messages about it: names hold no slash. */
export function toCollectionKey({ index, collection }: CollectionName): string {
  return `${index}/${collection}`;
}

/** The collection that `toCollectionKey` gave the key of. @throws for a key that names none */
export function readCollectionKey(key: string): CollectionName {
  const [index = '', collection = '', ...more] = key.split('/');
  if (index === '' || collection === '' || more.length > 0) throw malformedMessage('a collection');
  return { index, collection };
}
