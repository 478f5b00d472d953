import {
  INTERNAL_INDEX,
  isError,
  SECURITY,
  STORAGE_ENGINE,
  storageErrors,
  toIndexName,
  type IndexName,
  type MaybePromise,
  type Request,
  type Security,
  type StorageEngine,
  type Target,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { CatalogSharing } from '../catalog/CatalogSharing.js';
import { CollectionRemoval, type RemovalOptions } from './CollectionRemoval.js';

/** The indexes of the server, without the internal one (DOC-4). */
@scoped(Scope.ContainerScoped)
export class IndexCatalog {
  constructor(
    @inject(STORAGE_ENGINE) private readonly engine: StorageEngine,
    @inject(INTERNAL_INDEX) private readonly internalIndex: string,
    @inject(CollectionRemoval) private readonly removal: CollectionRemoval,
    @inject(SECURITY) private readonly security: Security,
    @inject(CatalogSharing) private readonly sharing: CatalogSharing,
  ) {}

  /** @throws storage.index_exists */
  async create(index: IndexName): Promise<void> {
    await this.engine.createIndex(index);
  }

  /** @throws storage.index_not_found */
  async delete(index: IndexName, options: RemovalOptions): Promise<void> {
    await this.removal.deleteIndex(index, options);
  }

  /**
   * Deletes the named indexes, or all of them if none is named, as far as the user may.
   * @returns the names of those deleted, each once: without absent ones and the internal one
   * @throws storage.invalid_name before anything is deleted; 401 or 403 if the user may neither delete any of them nor
   *   call this action
   */
  async deleteMany(names: readonly string[], request: Request, options: RemovalOptions): Promise<readonly string[]> {
    const asked = names.length === 0 ? await this.list() : [...new Set(names)];
    const indexes = asked.filter((index) => index !== this.internalIndex).map(toIndexName);
    const allowed: IndexName[] = [];
    for (const index of indexes) if (await this.isDeletable(index, request)) allowed.push(index);
    if (allowed.length === 0) {
      await this.security.authorizeTarget(request, deletion('mDelete', null));
    }
    const deleted: string[] = [];
    for (const index of allowed) {
      if (await this.deleteIfPresent(index, options)) deleted.push(index);
    }
    return deleted;
  }

  /** The permission for either action is enough (DOC-42). */
  private async isDeletable(index: IndexName, request: Request): Promise<boolean> {
    if (await this.security.isAllowed(request, deletion('mDelete', index))) return true;
    return this.security.isAllowed(request, deletion('delete', index));
  }

  exists(index: IndexName): MaybePromise<boolean> {
    return this.engine.hasIndex(index);
  }

  /** Sorted by code unit. */
  async list(): Promise<readonly string[]> {
    const indexes = await this.engine.listIndexes();
    return indexes.filter((index) => index !== this.internalIndex);
  }

  /** @throws storage.index_not_found */
  async getAutoRefresh(index: IndexName): Promise<boolean> {
    return (await this.engine.getIndexSettings(index)).autoRefresh;
  }

  /** @throws storage.index_not_found */
  async setAutoRefresh(index: IndexName, autoRefresh: boolean): Promise<void> {
    await this.engine.setIndexSettings(index, { autoRefresh });
    await this.sharing.changed(index);
  }

  /** Makes all writes visible to search. @returns the number of shards refreshed */
  async refresh(index: IndexName): Promise<number> {
    return this.engine.refresh(index);
  }

  /** Makes writes to the internal index (users, profiles, roles and other internal data) visible to search. */
  async refreshInternal(): Promise<void> {
    if (await this.engine.hasIndex(this.internalIndex)) await this.engine.refresh(this.internalIndex);
  }

  private async deleteIfPresent(index: IndexName, options: RemovalOptions): Promise<boolean> {
    try {
      await this.delete(index, options);
      return true;
    } catch (error) {
      const isAbsent = isError(error, storageErrors.index_not_found);
      if (isAbsent) return false;
      throw error;
    }
  }
}

function deletion(action: 'delete' | 'mDelete', index: IndexName | null): Target {
  return { controller: 'index', action, index, collection: null, id: null, body: null };
}
