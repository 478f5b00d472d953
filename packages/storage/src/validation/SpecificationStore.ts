/*
 * The specifications of all collections: stored in the internal index and cached in memory, since every write needs
 * them synchronously. A change is durable before it takes effect. They belong to names, not to stored collections, so
 * they may exist before their collection; they are removed when it is deleted.
 */
import {
  KeyedQueue,
  RECORD_PLACE,
  RecordStore,
  storageErrors,
  toCollectionKey,
  written,
  type CollectionName,
  type JsonObject,
  type Lifecycle,
  type RecordKind,
  type RecordPlace,
} from '@millrace/kernel';
import { EVERY_DOCUMENT, parseMapping, parseSearch } from '@millrace/query';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { parsed, toRegisteredError } from '../toRegisteredError.js';
import { parseSpecification } from './parseSpecification.js';
import type { Specification } from './Specification.js';

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

// The specification itself is stored as a string: users choose its keys, and no search uses them.
const KIND: RecordKind<StoredSpecification> = {
  collection: 'validations',
  mapping: parseMapping({
    dynamic: false,
    properties: { index: { type: 'keyword' }, collection: { type: 'keyword' } },
  }),
  parse: ({ id, source: { index, collection, specification } }, name) => {
    if (typeof index === 'string' && typeof collection === 'string' && typeof specification === 'string') {
      return { index, collection, validation: JSON.parse(specification) as JsonObject };
    }
    throw storageErrors.corrupt({ ...name, id });
  },
  toSource: ({ index, collection, validation }) => ({ index, collection, specification: JSON.stringify(validation) }),
};

/** Stores and caches specifications. */
@scoped(Scope.ContainerScoped)
export class SpecificationStore implements Lifecycle {
  private readonly entries = new Map<string, Entry>();
  private readonly queue = new KeyedQueue();
  private readonly records: RecordStore<StoredSpecification>;
  private notify: (name: CollectionName, validation: JsonObject | null) => void = () => undefined;

  constructor(@inject(RECORD_PLACE) private readonly place: RecordPlace) {
    this.records = new RecordStore(place, KIND);
  }

  async start(): Promise<void> {
    await this.reload();
  }

  /** Sets the function that notifies other nodes of changes made here; null: a specification was deleted. */
  share(notify: (name: CollectionName, validation: JsonObject | null) => void): void {
    this.notify = notify;
  }

  /** Another node has stored a specification, or deleted it (null). @throws if it is malformed */
  changedElsewhere(name: CollectionName, validation: JsonObject | null): void {
    if (validation === null) this.entries.delete(toCollectionKey(name));
    else this.remember({ ...name, validation });
  }

  /** Reads all of them from the storage. */
  async reload(): Promise<void> {
    const { engine, index } = this.place;
    if (!(await engine.hasCollection(this.records.name))) return this.entries.clear();
    const gone = new Set(this.entries.keys());
    await engine.refresh(index);
    for await (const stored of this.records.scan(EVERY_DOCUMENT)) {
      gone.delete(toCollectionKey(stored));
      this.remember(stored);
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
    await this.queue.run(KIND.collection, async () => {
      const puts = given.map((each) => this.records.putOperation(toCollectionKey(each), each, 'any'));
      for (const outcome of await this.records.write(puts)) written(outcome);
      for (const each of given) {
        this.remember(each);
        this.notify(each, each.validation);
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
    try {
      const source = { enabled: false, includes: [], excludes: [] };
      const { hits: ids, total } = await this.records.search({ ...request, source }, { signal });
      const found = ids.flatMap(({ id }) => this.entries.get(id) ?? []);
      const hits = found.map(({ index, collection, validation }) => ({ index, collection, validation }));
      return { hits, total, ...page };
    } catch (error) {
      throw toRegisteredError(error);
    }
  }

  private async deleteWhere(isMeant: (entry: StoredSpecification) => boolean): Promise<void> {
    await this.queue.run(KIND.collection, async () => {
      const meant = [...this.entries].filter(([, entry]) => isMeant(entry));
      if (meant.length === 0) return;
      await this.records.deleteMany(meant.map(([key]) => key));
      for (const [key, entry] of meant) {
        this.entries.delete(key);
        this.notify(entry, null);
      }
    });
  }

  private remember(given: StoredSpecification): void {
    const { index, collection, validation } = given;
    // Specifications with faults are refused before they are stored.
    const { specification } = parseSpecification(validation, `${index}.${collection}`, 0);
    this.entries.set(toCollectionKey(given), { index, collection, validation, specification });
  }
}
