import { toCollectionKey } from '../cluster/readNodeMessage.js';
import type { CollectionName } from '../storage/StorageEngine.js';

/** The key of a document for maps and queues: unambiguous, since names of indexes and collections contain no slash. */
export function toDocumentKey(name: CollectionName, id: string): string {
  return `${toCollectionKey(name)}/${id}`;
}
