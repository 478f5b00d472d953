import { toCollectionKey } from '../contracts/cluster/readNodeMessage.js';
import type { CollectionName } from '../contracts/storage/StorageEngine.js';

/** A key of a document for maps and queues: names of indexes and collections contain no slash, so it is unambiguous. */
export function toDocumentKey(name: CollectionName, id: string): string {
  return `${toCollectionKey(name)}/${id}`;
}
