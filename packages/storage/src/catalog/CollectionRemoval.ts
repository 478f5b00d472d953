import {
  DOCUMENT_LISTENERS,
  isThenable,
  MillraceError,
  STORAGE_ENGINE,
  storageErrors,
  type ChangeOrigin,
  type CollectionName,
  type DocumentListeners,
  type StorageEngine,
  type WriteOperation,
} from '@millrace/kernel';
import { parseCount } from '@millrace/query';
import { inject, injectable } from 'tsyringe';
import { DocumentCommits } from '../documents/DocumentCommits.js';
import { CatalogSharing } from './CatalogSharing.js';
import { SpecificationStore } from '../validation/SpecificationStore.js';

/**
 * Removes all documents of a collection, or the collection or index as a whole. Where somebody listens, the documents go
 * one by one first, so that each removal is heard (decisions.md section 8).
 */
@injectable()
export class CollectionRemoval {
  constructor(
    @inject(STORAGE_ENGINE) private readonly engine: StorageEngine,
    @inject(DocumentCommits) private readonly commits: DocumentCommits,
    @inject(SpecificationStore) private readonly specifications: SpecificationStore,
    @inject(CatalogSharing) private readonly sharing: CatalogSharing,
    @inject(DOCUMENT_LISTENERS) private readonly listeners: DocumentListeners,
  ) {}

  /**
   * Removes every document and keeps the mapping. An absent collection of an existing index has none.
   * @param origin what subscribers are told of; null: they are told nothing
   * @throws storage.index_not_found
   */
  async truncate(name: CollectionName, origin: ChangeOrigin | null): Promise<void> {
    await this.removeHeard(name, origin);
    try {
      await this.engine.truncate(name);
    } catch (error) {
      const { id } = storageErrors.collection_not_found;
      if (error instanceof MillraceError && error.id === id) return;
      throw error;
    }
    await this.sharing.changed(name.index);
  }

  /** @throws storage.index_not_found, storage.collection_not_found */
  async delete(name: CollectionName, origin: ChangeOrigin | null): Promise<void> {
    await this.removeHeard(name, origin);
    await this.engine.deleteCollection(name);
    await this.specifications.delete(name);
    await this.sharing.changed(name.index);
  }

  /** @throws storage.index_not_found */
  async deleteIndex(index: string, origin: ChangeOrigin | null): Promise<void> {
    if (origin !== null) {
      for (const collection of this.listeners.namesIn(index)) {
        await this.removeHeard({ index, collection }, origin);
      }
    }
    await this.engine.deleteIndex(index);
    await this.specifications.deleteIndex(index);
    await this.sharing.changed(index);
  }

  private async removeHeard(name: CollectionName, origin: ChangeOrigin | null): Promise<void> {
    if (origin === null || !this.listeners.isListening(name)) return;
    let exists = this.engine.hasCollection(name);
    if (isThenable(exists)) exists = await exists;
    if (!exists) return;
    // The view of a scan is that of searches, which may lag behind the writes.
    await this.engine.refresh(name.index);
    for await (const batch of this.engine.scan(name, EVERYTHING)) {
      const operations = batch.map(({ id }): WriteOperation => {
        return { ...name, id, kind: 'delete', condition: 'present' };
      });
      // One that somebody else removed meanwhile is gone as well; one that appears meanwhile goes unheard.
      await this.commits.commit(operations, { refresh: false, origin, userId: null });
    }
  }
}

const EVERYTHING = parseCount({});
