import {
  isJsonObject,
  storageErrors,
  type CollectionName,
  type JsonObject,
} from '@millrace/kernel';

/**
 * The JSON object in a text field of an internal document.
 * @throws storage.corrupt where there is none
 */
export function parseJsonText(value: unknown, { index, collection }: CollectionName, id: string): JsonObject {
  if (typeof value === 'string') {
    const parsed: unknown = JSON.parse(value);
    if (isJsonObject(parsed)) return parsed;
  }
  throw storageErrors.corrupt({ index, collection, id });
} // prettier-ignore
