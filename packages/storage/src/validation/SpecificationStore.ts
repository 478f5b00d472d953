/*
 * The specifications of all collections: stored in the internal index and cached in memory, since every write needs
 * them synchronously. A change is durable before it takes effect. They belong to names, not to stored collections, so
 * they may exist before their collection; they are removed when it is deleted.
 */
import {
  INTERNAL_INDEX,
  KeyedQueue,
  STORAGE_ENGINE,
  storageErrors,
  toCollectionKey,
  type CollectionName,
  type JsonObject,
  type Lifecycle,
  type StorageEngine,
  type StoredDocument,
  type WriteOperation,
} from '@millrace/kernel';
import { parseCount, parseMapping, parseSearch } from '@millrace/query';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { parsed, toRegisteredError } from '../toRegisteredError.js';
import { parseSpecification } from './parseSpecification.js';
import type { Specification } from './Specification.js';

const COLLECTION = 'validations';
const READ_BATCH = 1_000;

/** A specification as sent, with its collection. */
export interface StoredSpecification extends CollectionName {
  readonly validation: JsonObject;
}

/** What a search of specifications found. */
export interface FoundSpecifications {
  readonly hits: readonly StoredSpecification[];
  readonly total: number;
  readonly from?: number;
  readonly size?: number;
}

interface Entry extends StoredSpecification {
  readonly specification: Specification;
}

/** Stores and caches specifications. */
@scoped(Scope.ContainerScoped)
export class SpecificationStore implements Lifecycle {
  private readonly entries = new Map<string, Entry>();
  private readonly queue = new KeyedQueue();
  private readonly place: CollectionName;
  private tell: (name: CollectionName, validation: JsonObject | null) => void = () => undefined;

  constructor(
    @inject(STORAGE_ENGINE) private readonly engine: StorageEngine,
    @inject(INTERNAL_INDEX) index: string,
  ) {
    this.place = { index, collection: COLLECTION };
  }

  async start(): Promise<void> {
    await this.reload();
  }

  /** Sets the function that notifies other nodes of changes made here; null: a specification was deleted. */
  share(tell: (name: CollectionName, validation: JsonObject | null) => void): void {
    this.tell = tell;
  }

  /** Another node has stored a specification, or deleted it (null). @throws if it is malformed */
  changedElsewhere(name: CollectionName, validation: JsonObject | null): void {
    if (validation === null) this.entries.delete(toCollectionKey(name));
    else this.remember({ ...name, validation });
  }

  /** Reads all of them from the storage. */
  async reload(): Promise<void> {
    if (!(await this.engine.hasCollection(this.place))) return this.entries.clear();
    const gone = new Set(this.entries.keys());
    await this.engine.refresh(this.place.index);
    const everything = parseCount({});
    for await (const batch of this.engine.scan(this.place, everything)) {
      for (let at = 0; at < batch.length; at += READ_BATCH) {
        const ids = batch.slice(at, at + READ_BATCH).map(({ id }) => id);
        for (const document of await this.engine.readMany(this.place, ids)) {
          if (document === null) continue;
          gone.delete(document.id);
          this.remember(fromSource(this.place, document));
        }
      }
    }
    for (const key of gone) this.entries.delete(key);
  }

  async stop(): Promise<void> {
    this.entries.clear();
  }

  /** The specification of a collection; undefined if every document is accepted. */
  find(name: CollectionName): Specification | undefined {
    return this.entries.size === 0 ? undefined : this.entries.get(toCollectionKey(name))?.specification;
  }

  /** As it was sent. */
  get(name: CollectionName): StoredSpecification | undefined {
    return this.entries.get(toCollectionKey(name));
  }

  /** Stores valid specifications; each replaces its collection's previous one completely. */
  async set(given: readonly StoredSpecification[]): Promise<void> {
    await this.queue.run(COLLECTION, async () => {
      const { index } = this.place;
      if (!(await this.engine.hasCollection(this.place))) {
        await this.engine.createCollection(this.place, MAPPING);
      }
      await this.write(
        given.map((each) => ({
          index,
          collection: COLLECTION,
          kind: 'put',
          id: toCollectionKey(each),
          source: toSource(each),
          condition: 'any',
        })),
      );
      for (const each of given) {
        this.remember(each);
        this.tell(each, each.validation);
      }
    });
  }

  /** Deletes the specification of one collection; does nothing if there is none. */
  async delete(name: CollectionName): Promise<void> {
    await this.deleteWhere((entry) => toCollectionKey(entry) === toCollectionKey(name));
  }

  /** Deletes all specifications of an index. */
  async deleteIndex(index: string): Promise<void> {
    await this.deleteWhere((entry) => entry.index === index);
  }

  /** @throws query.* (400) */
  async search(
    body: JsonObject,
    args: { readonly from?: number | undefined; readonly size?: number | undefined },
    signal?: AbortSignal,
  ): Promise<FoundSpecifications> {
    const request = parsed(() => parseSearch(body, args));
    const { fromGiven: from, sizeGiven: size } = request;
    const page = { ...(from !== undefined && { from }), ...(size !== undefined && { size }) };
    if (!(await this.engine.hasCollection(this.place))) return { hits: [], total: 0, ...page };
    try {
      const outcome = await this.engine.search(this.place, request, { signal });
      const found = outcome.hits.flatMap(({ id }) => this.entries.get(id) ?? []);
      const hits = found.map(({ index, collection, validation }) => ({
        index,
        collection,
        validation,
      }));
      return { hits, total: outcome.total, ...page };
    } catch (error) {
      throw toRegisteredError(error);
    }
  }

  private async deleteWhere(isMeant: (entry: StoredSpecification) => boolean): Promise<void> {
    await this.queue.run(COLLECTION, async () => {
      const meant = [...this.entries].filter(([, entry]) => isMeant(entry));
      const keys = meant.map(([key]) => key);
      if (keys.length === 0) return;
      const { index } = this.place;
      await this.write(
        keys.map((id) => ({
          index,
          collection: COLLECTION,
          kind: 'delete',
          id,
          condition: 'present',
        })),
      );
      for (const [key, entry] of meant) {
        this.entries.delete(key);
        this.tell(entry, null);
      }
    });
  }

  private async write(operations: readonly WriteOperation[]): Promise<void> {
    for (const outcome of await this.engine.write(operations, true)) {
      // A 404 means that it was already deleted.
      if (outcome.status === 'failed' && outcome.error.status !== 404) throw outcome.error;
    }
  }

  private remember(given: StoredSpecification): void {
    const { index, collection, validation } = given;
    // Specifications with faults are refused before they are stored.
    const { specification } = parseSpecification(validation, `${index}.${collection}`, 0);
    this.entries.set(toCollectionKey(given), { index, collection, validation, specification });
  }
}

// The specification itself is stored as a string: users choose its keys, and no search uses them.
const MAPPING = parseMapping({
  dynamic: false,
  properties: { index: { type: 'keyword' }, collection: { type: 'keyword' } },
});

function toSource({ index, collection, validation }: StoredSpecification): JsonObject {
  return { index, collection, specification: JSON.stringify(validation) };
}

function fromSource(place: CollectionName, { id, source }: StoredDocument): StoredSpecification {
  const { index, collection, specification } = source;
  if (typeof index === 'string' && typeof collection === 'string' && typeof specification === 'string') {
    return { index, collection, validation: JSON.parse(specification) as JsonObject };
  }
  throw storageErrors.corrupt({ index: place.index, collection: COLLECTION, id });
}
