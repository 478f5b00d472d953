import { isJsonObject, storageErrors, type CollectionName, type JsonObject } from '@millrace/kernel';

/**
 * Parses the JSON object in a string field of an internal document.
 * @throws storage.corrupt if there is none
 */
export function parseJsonText(value: unknown, { index, collection }: CollectionName, id: string): JsonObject {
  if (typeof value === 'string') {
    const parsed: unknown = JSON.parse(value);
    if (isJsonObject(parsed)) return parsed;
  }
  throw storageErrors.corrupt({ index, collection, id });
}
