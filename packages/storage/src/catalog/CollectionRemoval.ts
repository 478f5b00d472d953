import {
  DOCUMENT_LISTENERS,
  isThenable,
  MillraceError,
  STORAGE_ENGINE,
  storageErrors,
  type ChangeOrigin,
  type CollectionName,
  type DocumentListeners,
  type Emptying,
  type StorageEngine,
  WRITE_OBSERVERS,
  type WriteObservers,
  type WriteOperation,
} from '@millrace/kernel';
import { parseCount } from '@millrace/query';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import type { CommitOptions } from '../documents/CommitOptions.js';
import { DocumentCommits } from '../documents/DocumentCommits.js';
import { CatalogSharing } from './CatalogSharing.js';
import { SpecificationStore } from '../validation/SpecificationStore.js';

/** For whom documents are removed. */
export type RemovalOptions = Pick<CommitOptions, 'origin' | 'request'>;

/**
 * Removes all documents of a collection, or the collection or index as a whole. Where somebody listens, the documents go
 * one by one first, so that each removal is heard (PROTO-81).
 */
@scoped(Scope.ContainerScoped)
export class CollectionRemoval {
  constructor(
    @inject(STORAGE_ENGINE) private readonly engine: StorageEngine,
    @inject(DocumentCommits) private readonly commits: DocumentCommits,
    @inject(SpecificationStore) private readonly specifications: SpecificationStore,
    @inject(CatalogSharing) private readonly sharing: CatalogSharing,
    @inject(DOCUMENT_LISTENERS) private readonly listeners: DocumentListeners,
    @inject(WRITE_OBSERVERS) private readonly observers: WriteObservers,
  ) {}

  /**
   * Removes every document and keeps the mapping. An absent collection of an existing index has none.
   * @param options their `origin`: of the notifications to subscribers; `request`: of the event to plugins
   * @throws storage.index_not_found
   */
  async truncate(name: CollectionName, options: RemovalOptions): Promise<void> {
    await this.removeHeard(name, options.origin);
    try {
      await this.engine.truncate(name);
    } catch (error) {
      const { id } = storageErrors.collection_not_found;
      if (error instanceof MillraceError && error.id === id) return;
      throw error;
    }
    await this.sharing.changed(name.index);
    this.emptied(name, options);
  }

  /** @throws storage.index_not_found, storage.collection_not_found */
  async delete(name: CollectionName, options: RemovalOptions): Promise<void> {
    await this.removeHeard(name, options.origin);
    await this.engine.deleteCollection(name);
    await this.specifications.delete(name);
    await this.sharing.changed(name.index);
    this.emptied(name, options);
  }

  /** @throws storage.index_not_found */
  async deleteIndex(index: string, options: RemovalOptions): Promise<void> {
    const { origin } = options;
    if (origin !== null) {
      for (const collection of this.listeners.namesIn(index)) {
        await this.removeHeard({ index, collection }, origin);
      }
    }
    await this.engine.deleteIndex(index);
    await this.specifications.deleteIndex(index);
    await this.sharing.changed(index);
    this.emptied({ index, collection: null }, options);
  }

  /** Plugins see the removal as one event: an event for each document would make it last. */
  private emptied(
    place: Pick<Emptying, 'index' | 'collection'>,
    { request }: RemovalOptions,
  ): void {
    if (request === null) return;
    const { controller, action } = request;
    this.observers.emptied({ ...place, action: `${controller}.${action}`, request });
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
      await this.commits.commit(operations, { refresh: false, origin, request: null });
    }
  }
}

const EVERYTHING = parseCount({});
