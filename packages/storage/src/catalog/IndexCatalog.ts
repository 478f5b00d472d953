import {
  INTERNAL_INDEX,
  STORAGE_ENGINE,
  storageErrors,
  MillraceError,
  type MaybePromise,
  type StorageEngine,
} from '@millrace/kernel';
import { inject, injectable } from 'tsyringe';
import { SpecificationStore } from '../validation/SpecificationStore.js';
import { assertIndexName, assertNewIndexName } from '../names/assertIndexName.js';

/** The indexes of the server, without the internal one (interface.md, index controller; decisions.md section 6). */
@injectable()
export class IndexCatalog {
  constructor(
    @inject(STORAGE_ENGINE) private readonly engine: StorageEngine,
    @inject(INTERNAL_INDEX) private readonly internalIndex: string,
    @inject(SpecificationStore) private readonly specifications: SpecificationStore,
  ) {}

  /** @throws storage.invalid_name, storage.index_exists */
  async create(index: string): Promise<void> {
    assertNewIndexName(index);
    await this.engine.createIndex(index);
  }

  /** @throws storage.invalid_name, storage.index_not_found */
  async delete(index: string): Promise<void> {
    assertIndexName(index);
    await this.engine.deleteIndex(index);
    await this.specifications.deleteIndex(index);
  }

  /**
   * Deletes the named indexes, or all of them where none is named.
   * @returns the names of those deleted: neither absent ones nor the internal one, each once
   * @throws storage.invalid_name before anything is deleted
   */
  async deleteMany(names: readonly string[]): Promise<readonly string[]> {
    const asked = names.length === 0 ? await this.list() : [...new Set(names)];
    const indexes = asked.filter((index) => index !== this.internalIndex);
    indexes.forEach(assertIndexName);
    const deleted: string[] = [];
    for (const index of indexes) {
      if (await this.deleteIfPresent(index)) deleted.push(index);
    }
    return deleted;
  }

  /** @throws storage.invalid_name */
  exists(index: string): MaybePromise<boolean> {
    assertIndexName(index);
    return this.engine.hasIndex(index);
  }

  /** Sorted by code unit. */
  async list(): Promise<readonly string[]> {
    const indexes = await this.engine.listIndexes();
    return indexes.filter((index) => index !== this.internalIndex);
  }

  /** @throws storage.invalid_name, storage.index_not_found */
  async getAutoRefresh(index: string): Promise<boolean> {
    assertIndexName(index);
    return (await this.engine.getIndexSettings(index)).autoRefresh;
  }

  /** @throws storage.invalid_name, storage.index_not_found */
  async setAutoRefresh(index: string, autoRefresh: boolean): Promise<void> {
    assertIndexName(index);
    await this.engine.setIndexSettings(index, { autoRefresh });
  }

  /** Makes all writes visible to search. @returns the number of shards refreshed */
  async refresh(index: string): Promise<number> {
    assertIndexName(index);
    return this.engine.refresh(index);
  }

  private async deleteIfPresent(index: string): Promise<boolean> {
    try {
      await this.delete(index);
      return true;
    } catch (error) {
      const isAbsent =
        error instanceof MillraceError && error.id === storageErrors.index_not_found.id;
      if (isAbsent) return false;
      throw error;
    }
  }
}
