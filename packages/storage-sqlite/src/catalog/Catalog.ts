import { storageErrors, type CollectionName } from '@millrace/kernel';
import type { CollectionRow, IndexRow } from '../schema/catalogTables.js';
import type { WriterEntry } from '../writer/WriterEntry.js';
import { CollectionMapping, type Collection } from './CollectionMapping.js';

interface IndexEntry {
  autoRefresh: boolean;
  readonly collections: Map<string, Collection>;
}

/** The indexes and collections of the store, in memory: a request never reads the list from the file. */
export class Catalog {
  private readonly indexes = new Map<string, IndexEntry>();

  /**
   * Loads the stored catalog: at start, and after a writer died with unacknowledged changes. Newer mappings in memory
   * are kept.
   */
  synchronise(indexRows: readonly IndexRow[], collectionRows: readonly CollectionRow[]): void {
    const former = new Map(this.indexes);
    this.indexes.clear();
    for (const { name, autoRefresh } of indexRows) this.addIndex(name).autoRefresh = autoRefresh;
    for (const row of collectionRows) {
      const known = former.get(row.index)?.collections.get(row.collection);
      const collection = this.addCollection(row);
      if (known !== undefined && known.mapping.version >= row.mappingVersion) {
        this.indexes
          .get(row.index)
          ?.collections.set(row.collection, Object.assign(known, { number: row.collectionNumber }));
        known.savedMappingVersion = collection.savedMappingVersion;
      }
    }
  }

  /** Sorted by code unit. */
  listIndexes(): string[] {
    return [...this.indexes.keys()].sort();
  }

  hasIndex(index: string): boolean {
    return this.indexes.has(index);
  }

  /** @throws storage.index_not_found */
  index(index: string): IndexEntry {
    const entry = this.indexes.get(index);
    if (entry === undefined) throw storageErrors.index_not_found({ index });
    return entry;
  }

  /** Does nothing if the index exists. */
  addIndex(index: string): IndexEntry {
    let entry = this.indexes.get(index);
    if (entry === undefined) {
      entry = { autoRefresh: false, collections: new Map() };
      this.indexes.set(index, entry);
    }
    return entry;
  }

  removeIndex(index: string): void {
    this.indexes.delete(index);
  }

  find(name: CollectionName): Collection | undefined {
    return this.indexes.get(name.index)?.collections.get(name.collection);
  }

  /** @throws storage.index_not_found, storage.collection_not_found */
  collection(name: CollectionName): Collection {
    const collection = this.index(name.index).collections.get(name.collection);
    if (collection === undefined) {
      throw storageErrors.collection_not_found({ index: name.index, collection: name.collection });
    }
    return collection;
  }

  /** Adds the collection, and its index if absent. */
  addCollection(row: CollectionRow): Collection {
    const collection: Collection = {
      name: { index: row.index, collection: row.collection },
      mapping: new CollectionMapping(row.mapping, row.mappingVersion),
      number: row.collectionNumber,
      savedMappingVersion: row.mappingVersion,
      formerNumbers: new Set(),
    };
    this.addIndex(row.index).collections.set(row.collection, collection);
    return collection;
  }

  removeCollection(name: CollectionName): void {
    this.indexes.get(name.index)?.collections.delete(name.collection);
  }

  /** Every collection, in no particular order. */
  *allCollections(): Generator<Collection> {
    for (const { collections } of this.indexes.values()) yield* collections.values();
  }
}

/** The mappings that may not have reached the store, for a writer that replaces a dead one. */
export function mappingEntries(catalog: Catalog): WriterEntry[] {
  const entries: WriterEntry[] = [];
  for (const { number: collectionNumber, mapping, savedMappingVersion } of catalog.allCollections()) {
    if (mapping.version <= savedMappingVersion) continue;
    entries.push({
      type: 'setMapping',
      collectionNumber,
      mapping: mapping.toJson(),
      version: mapping.version,
    });
  }
  return entries;
}
