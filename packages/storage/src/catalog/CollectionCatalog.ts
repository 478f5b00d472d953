import {
  STORAGE_ENGINE,
  storageErrors,
  type CollectionName,
  type JsonObject,
  type MaybePromise,
  type StorageEngine,
} from '@millrace/kernel';
import { parseMapping, toMappingBody, type Mapping } from '@millrace/query';
import { inject, injectable } from 'tsyringe';
import { assertIndexName } from '../names/assertIndexName.js';
import { parsed, toRegisteredError } from '../toRegisteredError.js';
import { SpecificationStore } from '../validation/SpecificationStore.js';
import { DEFAULT_MAPPING } from './DEFAULT_MAPPING.js';
import { overlayMapping } from './overlayMapping.js';
import { REALTIME_COLLECTIONS, type RealtimeCollections } from './RealtimeCollections.js';

/** Which collections `list` gives. */
export type CollectionListType = 'all' | 'stored' | 'realtime';

/** One line of a list. */
export interface ListedCollection {
  readonly name: string;
  readonly type: 'stored' | 'realtime';
}

/** The collections of the server and their mappings (interface.md, collection controller; decisions.md section 6). */
@injectable()
export class CollectionCatalog {
  constructor(
    @inject(STORAGE_ENGINE) private readonly engine: StorageEngine,
    @inject(DEFAULT_MAPPING) private readonly defaultMapping: Mapping,
    @inject(REALTIME_COLLECTIONS) private readonly realtime: RealtimeCollections,
    @inject(SpecificationStore) private readonly specifications: SpecificationStore,
  ) {}

  /** Creates collection and index where absent; does nothing where the collection exists. */
  async create(name: CollectionName, mappingBody: JsonObject = {}): Promise<void> {
    await this.engine.createCollection(name, this.initialMapping(parseBody(mappingBody)));
  }

  /** For a write that found the collection absent. Concurrent calls all succeed. */
  async createForWrite(name: CollectionName): Promise<void> {
    await this.engine.createCollection(name, this.defaultMapping);
  }

  exists(name: CollectionName): MaybePromise<boolean> {
    return this.engine.hasCollection(name);
  }

  /** @throws storage.index_not_found, storage.collection_not_found */
  async assertExists(name: CollectionName): Promise<void> {
    if (await this.engine.hasCollection(name)) return;
    if (await this.engine.hasIndex(name.index)) throw storageErrors.collection_not_found(name);
    throw storageErrors.index_not_found(name);
  }

  /** @throws storage.index_not_found, storage.collection_not_found */
  async delete(name: CollectionName): Promise<void> {
    await this.engine.deleteCollection(name);
    await this.specifications.delete(name);
  }

  /** Removes every document and keeps the mapping. @throws as `delete` */
  async truncate(name: CollectionName): Promise<void> {
    await this.engine.truncate(name);
  }

  /** The mapping in current terms; `properties` is always there. @throws as `delete` */
  async getMapping(name: CollectionName): Promise<JsonObject> {
    return { properties: {}, ...toMappingBody(await this.engine.getMapping(name)) };
  }

  /** Merges a mapping into the collection's, creating the collection where absent. @throws storage.invalid_mapping */
  async updateMapping(name: CollectionName, mappingBody: JsonObject): Promise<void> {
    const update = parseBody(mappingBody);
    const isNew =
      !(await this.engine.hasCollection(name)) &&
      (await this.engine.createCollection(name, this.initialMapping(update)));
    if (isNew) return;
    try {
      await this.engine.updateMapping(name, update);
    } catch (error) {
      throw toRegisteredError(error);
    }
  }

  /**
   * Sorted by code unit; a name both stored and subscribed to appears once, as stored.
   * @throws storage.invalid_name, storage.index_not_found
   */
  async list(index: string, type: CollectionListType): Promise<readonly ListedCollection[]> {
    assertIndexName(index);
    const stored = new Set(await this.engine.listCollections(index));
    const subscribed = this.realtime.namesIn(index).filter((name) => !stored.has(name));
    const names = {
      all: () => [...stored, ...subscribed],
      stored: () => [...stored],
      realtime: () => subscribed,
    };
    const listed = [...new Set(names[type]())].sort();
    return listed.map((name) => ({ name, type: stored.has(name) ? 'stored' : 'realtime' }));
  }

  private initialMapping(given: Mapping): Mapping {
    return overlayMapping(this.defaultMapping, given);
  }
}

function parseBody(body: JsonObject): Mapping {
  return parsed(() => parseMapping(body));
}
