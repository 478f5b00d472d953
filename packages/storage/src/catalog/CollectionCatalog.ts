import {
  DOCUMENT_LISTENERS,
  STORAGE_ENGINE,
  storageErrors,
  type CollectionName,
  type DocumentListeners,
  type IndexName,
  type JsonObject,
  type MaybePromise,
  type Request,
  type StorageEngine,
} from '@millrace/kernel';
import {
  mergeMapping,
  parseMapping,
  toMappingBody,
  visibleMapping,
  type FieldMapping,
  type Mapping,
} from '@millrace/query';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { DocumentLimits } from '../rights/DocumentLimits.js';
import { parsed, toRegisteredError } from '../toRegisteredError.js';
import { CatalogSharing } from './CatalogSharing.js';
import { DEFAULT_MAPPING } from './DEFAULT_MAPPING.js';

type Fields = ReadonlyMap<string, FieldMapping>;

/** The kinds of collections that `list` returns. */
export type CollectionListType = 'all' | 'stored' | 'realtime';

/** One entry of a list. */
export interface ListedCollection {
  readonly name: string;
  readonly type: 'stored' | 'realtime';
}

/** The collections of the server and their mappings (DOC-40). */
@scoped(Scope.ContainerScoped)
export class CollectionCatalog {
  constructor(
    @inject(STORAGE_ENGINE) private readonly engine: StorageEngine,
    @inject(DEFAULT_MAPPING) private readonly defaultMapping: Mapping,
    @inject(CatalogSharing) private readonly sharing: CatalogSharing,
    @inject(DOCUMENT_LISTENERS) private readonly listeners: DocumentListeners,
    @inject(DocumentLimits) private readonly limits: DocumentLimits,
  ) {}

  /** Creates collection and index if absent; does nothing if the collection exists. */
  async create(name: CollectionName, mappingBody: JsonObject = {}): Promise<void> {
    await this.engine.createCollection(name, this.initialMapping(parseBody(mappingBody)));
  }

  /** For a write whose collection was absent. Concurrent calls all succeed. */
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

  /** Without effect if the engine has no change log. @throws as `assertExists` */
  async eraseHistory(name: CollectionName): Promise<void> {
    await this.assertExists(name);
    await this.engine.changeLog?.erase?.(name);
  }

  /**
   * The mapping in current syntax, with the fields that the caller may read; `properties` is always present.
   * @throws as `assertExists`
   */
  async getMapping(name: CollectionName, request: Request): Promise<JsonObject> {
    const mapping = await this.engine.getMapping(name);
    const fields = await this.limits.readableFields(request, name);
    const visible = fields === null ? mapping : visibleMapping(mapping, fields);
    return { properties: {}, ...toMappingBody(visible) };
  }

  /** Checks whether `updateMapping` would succeed. Changes nothing. @throws storage.invalid_mapping */
  async checkMapping(name: CollectionName, mappingBody: JsonObject): Promise<void> {
    const update = parseBody(mappingBody);
    const base = (await this.engine.hasCollection(name)) ? await this.engine.getMapping(name) : undefined;
    if (base === undefined) this.initialMapping(update);
    else parsed(() => mergeMapping(base, update));
  }

  /** Merges a mapping into the collection's, creating the collection if absent. @throws storage.invalid_mapping */
  async updateMapping(name: CollectionName, mappingBody: JsonObject): Promise<void> {
    const update = parseBody(mappingBody);
    const isNew =
      !(await this.engine.hasCollection(name)) &&
      (await this.engine.createCollection(name, this.initialMapping(update)));
    if (isNew) return;
    try {
      await this.engine.updateMapping(name, update);
      await this.sharing.changed(name.index);
    } catch (error) {
      throw toRegisteredError(error);
    }
  }

  /**
   * Sorted by code unit. A name that is both stored and subscribed to appears under both types; under `all` it has two
   * entries, `realtime` before `stored` (DOC-22).
   * @throws storage.index_not_found
   */
  async list(index: IndexName, type: CollectionListType): Promise<readonly ListedCollection[]> {
    const names = (await this.engine.listCollections(index)).toSorted();
    const stored = names.map((name): ListedCollection => ({ name, type: 'stored' }));
    if (type === 'stored') return stored;
    const subscribed = [...new Set(this.listeners.namesIn(index))].toSorted();
    const realtime = subscribed.map((name): ListedCollection => ({ name, type: 'realtime' }));
    if (type === 'realtime') return realtime;
    // The sort is stable: for one name, `realtime` stays before `stored`.
    return [...realtime, ...stored].sort((a, b) => (a.name === b.name ? 0 : a.name < b.name ? -1 : 1));
  }

  private initialMapping(given: Mapping): Mapping {
    const mapping = overlayMapping(this.defaultMapping, given);
    // Merging validates the mapping as a whole; there is nothing to merge with.
    return parsed(() => mergeMapping(mapping, NOTHING));
  }
}

const NOTHING: Mapping = { properties: new Map() };

function parseBody(body: JsonObject): Mapping {
  return parsed(() => parseMapping(body));
}

/**
 * Overlays the default mapping with the one given at creation: the given one wins, even with another type for a field;
 * objects present in both are merged field by field (DOC-40).
 */
function overlayMapping(base: Mapping, given: Mapping): Mapping {
  return { ...base, ...given, properties: overlayFields(base.properties, given.properties) };
}

function overlayFields(base: Fields, given: Fields): Fields {
  const fields = new Map(base);
  for (const [name, field] of given) {
    const below = base.get(name);
    const areObjects = below?.kind === 'object' && field.kind === 'object';
    fields.set(
      name,
      areObjects ? { ...below, ...field, properties: overlayFields(below.properties, field.properties) } : field,
    );
  }
  return fields;
}
