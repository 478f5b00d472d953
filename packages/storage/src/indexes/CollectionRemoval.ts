import {
  DOCUMENT_LISTENERS,
  isThenable,
  isError,
  STORAGE_ENGINE,
  storageErrors,
  type ChangeOrigin,
  type CollectionName,
  type Cursor,
  type DocumentListeners,
  type Emptying,
  type StorageEngine,
  WRITE_OBSERVERS,
  type WriteObservers,
  type WriteOperation,
} from '@millrace/kernel';
import { parseCount } from '@millrace/query';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import type { CommitOptions } from '../documents/PlannedWrite.js';
import { DocumentCommits } from '../documents/DocumentCommits.js';
import { ObservedWrites } from '../documents/ObservedWrites.js';
import { WriteBarrier } from '../documents/WriteBarrier.js';
import { CatalogSharing } from '../catalog/CatalogSharing.js';
import { SpecificationStore } from '../validation/SpecificationStore.js';

/** The request and origin of a removal. */
export type RemovalOptions = Pick<CommitOptions, 'origin' | 'request'>;

/**
 * Removes all documents of a collection, or the collection or index as a whole. If the collection has subscribers, its
 * documents are first deleted one by one, so that each removal is notified (PROTO-81).
 */
@scoped(Scope.ContainerScoped)
export class CollectionRemoval {
  constructor(
    @inject(STORAGE_ENGINE) private readonly engine: StorageEngine,
    @inject(DocumentCommits) private readonly commits: DocumentCommits,
    @inject(ObservedWrites) private readonly writes: ObservedWrites,
    @inject(SpecificationStore) private readonly specifications: SpecificationStore,
    @inject(CatalogSharing) private readonly sharing: CatalogSharing,
    @inject(DOCUMENT_LISTENERS) private readonly listeners: DocumentListeners,
    @inject(WRITE_OBSERVERS) private readonly observers: WriteObservers,
    @inject(WriteBarrier) private readonly barrier: WriteBarrier,
  ) {}

  /**
   * Removes every document and keeps the mapping. An absent collection of an existing index counts as empty.
   * @param options `origin`: for the notifications to subscribers; `request`: for the event to plugins
   * @throws storage.index_not_found
   */
  async truncate(name: CollectionName, options: RemovalOptions): Promise<void> {
    await this.removeObserved(name, options.origin);
    try {
      await this.wipe([name], options, () => this.engine.truncate(name, options.origin));
    } catch (error) {
      if (isError(error, storageErrors.collection_not_found)) return;
      throw error;
    }
    await this.sharing.changed(name.index);
    this.emptied(name, options);
  }

  /** @throws storage.index_not_found, storage.collection_not_found */
  async delete(name: CollectionName, options: RemovalOptions): Promise<void> {
    const removing = this.removeObserved(name, options.origin);
    if (removing !== undefined) await removing;
    await this.wipe([name], options, () => this.engine.deleteCollection(name, options.origin));
    await this.specifications.delete(name);
    await this.sharing.changed(name.index);
    this.emptied(name, options);
  }

  /** @throws storage.index_not_found */
  async deleteIndex(index: string, options: RemovalOptions): Promise<void> {
    const collections = new Set<string>();
    // A subscription may begin in the meantime.
    const next = () => this.listeners.namesIn(index).find((each) => !collections.has(each));
    for (let collection = next(); collection !== undefined; collection = next()) {
      collections.add(collection);
      const removing = this.removeObserved({ index, collection }, options.origin);
      if (removing !== undefined) await removing;
    }
    const names = [...collections].map((collection) => ({ index, collection }));
    await this.wipe(names, options, () => this.engine.deleteIndex(index, options.origin));
    await this.specifications.deleteIndex(index);
    await this.sharing.changed(index);
    this.emptied({ index, collection: null }, options);
  }

  /** Plugins receive one event for the whole removal: an event for each document would take too long. */
  private emptied(place: Pick<Emptying, 'index' | 'collection'>, { request }: RemovalOptions): void {
    if (request === null) return;
    const { controller, action } = request;
    this.observers.emptied({ ...place, action: `${controller}.${action}`, request });
  }

  /** Call in the turn in which it was decided that no other collection is observed. */
  private async wipe(
    names: readonly CollectionName[],
    { origin }: RemovalOptions,
    remove: () => Promise<Cursor | undefined | void>,
  ): Promise<void> {
    const end = this.barrier.begin(false);
    try {
      if (origin !== null) return await this.writes.wipe(names, remove);
      await remove();
      for (const name of names) this.listeners.wiped?.(name, true);
    } finally {
      end();
    }
  }

  /** @returns undefined if no subscriber is notified */
  private removeObserved(name: CollectionName, origin: ChangeOrigin | null): Promise<void> | undefined {
    const isObserved = origin !== null && this.listeners.isListening(name);
    return isObserved ? this.removeEach(name, origin) : undefined;
  }

  private async removeEach(name: CollectionName, origin: ChangeOrigin): Promise<void> {
    let exists = this.engine.hasCollection(name);
    if (isThenable(exists)) exists = await exists;
    if (!exists) return;
    // A scan sees what searches see, which may lag behind the writes.
    await this.engine.refresh(name.index);
    for await (const batch of this.engine.scan(name, EVERYTHING)) {
      const operations = batch.map(({ id }): WriteOperation => {
        return { ...name, id, kind: 'delete', condition: 'present' };
      });
      // Documents that another writer removes in the meantime are gone as well. If documents appear in the meantime,
      // subscribers receive a gap (RESUME-21).
      await this.commits.commit(operations, { refresh: false, origin, request: null });
    }
  }
}

const EVERYTHING = parseCount({});
