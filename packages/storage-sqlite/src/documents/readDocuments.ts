import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CollectionName, StoredDocument, StoredText } from '@millrace/kernel';
import type { Catalog } from '../catalog/Catalog.js';
import type { IntegrityWatch } from '../integrity/IntegrityWatch.js';
import { isStorableText } from '../isStorableText.js';
import type { PointReader } from '../PointReader.js';

/** So many documents are read in one turn of the event loop: a few milliseconds of small ones. */
const READS_PER_TURN = 500;

/** What documents are read with. */
export interface DocumentReaders {
  readonly catalog: Catalog;
  readonly reader: PointReader;
  readonly integrity: IntegrityWatch;
}

/**
 * Reads one document: null where it or its collection is absent.
 * @throws storage.damaged_ids where it can't be known whether the document is absent
 */
export function readDocument(
  { catalog, reader, integrity }: DocumentReaders,
  name: CollectionName,
  id: string,
): StoredDocument | null {
  const collection = catalog.find(name);
  // SQLite would look for another text than this.
  if (collection === undefined || !isStorableText(id)) return null;
  const document = reader.read(collection.k, name, id);
  if (document === null) integrity.assertIntact(collection.k, name);
  return document;
}

/** The same, without parsing it. */
export function readDocumentText(
  { catalog, reader, integrity }: DocumentReaders,
  name: CollectionName,
  id: string,
): StoredText | null {
  const collection = catalog.find(name);
  if (collection === undefined || !isStorableText(id)) return null;
  const document = reader.readText(collection.k, name, id);
  if (document === null) integrity.assertIntact(collection.k, name);
  return document;
}

/** Reads documents in the order of `ids`, null for absent ones. Long lists leave the event loop room. */
export async function readDocuments(
  readers: DocumentReaders,
  name: CollectionName,
  ids: readonly string[],
): Promise<(StoredDocument | null)[]> {
  const documents: (StoredDocument | null)[] = [];
  for (const [position, id] of ids.entries()) {
    if (position > 0 && position % READS_PER_TURN === 0) await nextTurn();
    documents.push(readDocument(readers, name, id));
  }
  return documents;
}
