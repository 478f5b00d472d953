import { storageErrors, type CollectionName, type IndexSettings } from '@millrace/kernel';
import type { Mapping } from '@millrace/query';
import type { DocumentWriter } from './documents/DocumentWriter.js';
import { isStorableText } from './isStorableText.js';
import type { WriterThread } from './writer/WriterThread.js';
import type { Catalog } from './catalog/Catalog.js';
import { mappingToJson, type Collection } from './catalog/CollectionMapping.js';

/**
 * Creates and deletes indexes and collections. The writer decides, in its order; the catalog in memory changes when the
 * response arrives, so it never shows an entry that is not on disk.
 */
export class CatalogChanges {
  constructor(
    private readonly catalog: Catalog,
    private readonly writer: WriterThread,
    private readonly documents: DocumentWriter,
    /** True while a cursor or scan reads this number. */
    private readonly isHeld: (collectionNumber: number) => boolean,
    /** Drops all state of a number, which must not be read any more: open cursors on it are closed. */
    private readonly retire: (collectionNumber: number) => void,
  ) {}

  /** @throws storage.index_exists, storage.invalid_name */
  async createIndex(index: string): Promise<void> {
    assertStorable('index name', index);
    const answer = await this.writer.submit({ type: 'createIndex', index });
    if (answer.type === 'refused') throw storageErrors.index_exists({ index });
    this.catalog.addIndex(index);
  }

  /** @returns see `truncate` @throws storage.index_not_found */
  async deleteIndex(index: string): Promise<number | undefined> {
    this.catalog.index(index);
    const answer = await this.writer.submit({ type: 'deleteIndex', index });
    if (answer.type === 'refused') throw storageErrors.index_not_found({ index });
    const { collections } = this.catalog.index(index);
    this.catalog.removeIndex(index);
    for (const collection of collections.values()) this.retireWholly(collection);
    return answer.wipedAt;
  }

  /** @throws storage.index_not_found */
  async setIndexSettings(index: string, { autoRefresh }: IndexSettings): Promise<void> {
    this.catalog.index(index);
    const answer = await this.writer.submit({ type: 'setAutoRefresh', index, autoRefresh });
    if (answer.type === 'refused') throw storageErrors.index_not_found({ index });
    this.catalog.index(index).autoRefresh = autoRefresh;
  }

  /** @returns false if the collection exists already @throws storage.invalid_name */
  async createCollection(name: CollectionName, mapping: Mapping): Promise<boolean> {
    if (this.catalog.find(name) !== undefined) return false;
    const { index, collection } = name;
    assertStorable('index name', index);
    assertStorable('collection name', collection);
    const json = mappingToJson(mapping);
    const answer = await this.writer.submit({
      type: 'createCollection',
      index,
      collection,
      mapping: json,
    });
    if (answer.type === 'refused' || answer.collectionNumber === undefined) return false;
    this.catalog.addCollection({
      collectionNumber: answer.collectionNumber,
      index,
      collection,
      mapping: json,
      mappingVersion: 1,
    });
    return true;
  }

  /** @returns see `truncate` @throws storage.index_not_found, storage.collection_not_found */
  async deleteCollection(name: CollectionName): Promise<number | undefined> {
    this.catalog.collection(name);
    const { index, collection } = name;
    const answer = await this.writer.submit({ type: 'deleteCollection', index, collection });
    if (answer.type === 'refused') throw storageErrors.collection_not_found({ index, collection });
    const removed = this.catalog.collection(name);
    this.catalog.removeCollection(name);
    this.retireWholly(removed);
    return answer.wipedAt;
  }

  /**
   * @returns the position in the change log; undefined if no document was removed or changes aren't recorded
   * @throws storage.index_not_found, storage.collection_not_found
   */
  async truncate(name: CollectionName): Promise<number | undefined> {
    const collection = this.catalog.collection(name);
    const answer = await this.writer.submit({
      type: 'truncate',
      collectionNumber: collection.number,
    });
    if (answer.type === 'refused' || answer.collectionNumber === undefined) {
      throw storageErrors.collection_not_found({ index: name.index, collection: name.collection });
    }
    const former = collection.number;
    collection.number = answer.collectionNumber;
    if (this.isHeld(former)) collection.formerNumbers.add(former);
    else this.retire(former);
    return answer.wipedAt;
  }

  /** @throws storage.index_not_found, storage.collection_not_found, storage.invalid_mapping */
  async updateMapping(name: CollectionName, update: Mapping): Promise<void> {
    const collection = this.catalog.collection(name);
    if (collection.mapping.merge(update)) await this.documents.saveMapping(collection);
  }

  private retireWholly(collection: Collection): void {
    this.retire(collection.number);
    for (const collectionNumber of collection.formerNumbers) this.retire(collectionNumber);
    collection.formerNumbers.clear();
  }
}

function assertStorable(what: string, value: string): void {
  if (isStorableText(value)) return;
  throw storageErrors.invalid_name({
    what,
    value,
    expected: 'text without NUL and halves of surrogate pairs',
  });
}
