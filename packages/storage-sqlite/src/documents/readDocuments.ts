import {
  EventLoopPacer,
  queryErrors,
  type CollectionName,
  type JsonObject,
  type ReadOptions,
  type StoredDocument,
  type StoredText,
} from '@millrace/kernel';
import type { Catalog } from '../catalog/Catalog.js';
import type { IntegrityWatch } from '../integrity/IntegrityWatch.js';
import { isStorableText } from '../isStorableText.js';
import type { PointReader } from '../PointReader.js';

/** Dependencies of the functions that read documents. */
export interface DocumentReaders {
  readonly catalog: Catalog;
  readonly reader: PointReader;
  readonly integrity: IntegrityWatch;
}

/**
 * Reads one document: null if it or its collection is absent.
 * @throws storage.damaged_ids if the document may exist but can't be found
 */
export function readDocument(readers: DocumentReaders, name: CollectionName, id: string): StoredDocument | null {
  const found = readDocumentText(readers, name, id);
  return found && toDocument(found);
}

/** As `readDocument`, without parsing the document. */
export function readDocumentText(
  { catalog, reader, integrity }: DocumentReaders,
  name: CollectionName,
  id: string,
): StoredText | null {
  const collection = catalog.find(name);
  // SQLite would look for a different string.
  if (collection === undefined || !isStorableText(id)) return null;
  const document = reader.read(collection.number, name, id);
  if (document === null) integrity.assertIntact(collection.number, name);
  return document;
}

/**
 * Reads documents in the order of `ids`, null for absent ones. Long lists are split so that they don't block the event
 * loop.
 * @throws query.result_too_large
 */
export async function readDocuments(
  readers: DocumentReaders,
  name: CollectionName,
  ids: readonly string[],
  { maxBytes = Infinity }: ReadOptions = {},
): Promise<(StoredDocument | null)[]> {
  const documents: (StoredDocument | null)[] = [];
  let bytes = 0;
  const pacer = new EventLoopPacer(1);
  for (const id of ids) {
    if (pacer.isDue()) await pacer.rest();
    const found = readDocumentText(readers, name, id);
    if (found !== null && Number.isFinite(maxBytes)) bytes += Buffer.byteLength(found.json);
    if (bytes > maxBytes) throw queryErrors.result_too_large({ maxBytes });
    documents.push(found && toDocument(found));
  }
  return documents;
}

function toDocument({ id, version, json, meta }: StoredText): StoredDocument {
  return { id, version, source: JSON.parse(json) as JsonObject, meta };
}
