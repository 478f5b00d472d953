import { toCollectionKey } from '../cluster/readNodeMessage.js';
import { isCollectionAbsent } from './isCollectionAbsent.js';
import type { CollectionName, StorageEngine, StoredDocument } from './StorageEngine.js';

/**
 * Reads the documents that some of the writes of a list concern.
 * @returns by position in the list; none for absent documents, and for absent collections, whose writes report that
 */
export async function readStored(
  engine: Pick<StorageEngine, 'readMany'>,
  operations: readonly (CollectionName & { readonly id: string })[],
  positions: readonly number[],
): Promise<Map<number, StoredDocument>> {
  const byCollection = new Map<string, number[]>();
  for (const position of positions) {
    const key = toCollectionKey(operations[position] as CollectionName);
    const own = byCollection.get(key);
    if (own === undefined) byCollection.set(key, [position]);
    else own.push(position);
  }
  const found = new Map<number, StoredDocument>();
  for (const own of byCollection.values()) {
    const { index, collection } = operations[own[0] as number] as CollectionName;
    const ids = own.map((position) => operations[position]?.id ?? '');
    const documents = await readMany(engine, { index, collection }, ids);
    documents.forEach((document, i) => {
      if (document !== null) found.set(own[i] as number, document);
    });
  }
  return found;
}

async function readMany(
  engine: Pick<StorageEngine, 'readMany'>,
  name: CollectionName,
  ids: readonly string[],
): Promise<readonly (StoredDocument | null)[]> {
  try {
    return await engine.readMany(name, ids);
  } catch (error) {
    if (isCollectionAbsent(error)) return [];
    throw error;
  }
}
