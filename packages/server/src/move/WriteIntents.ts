import { randomUUID } from 'node:crypto';
import {
  RecordStore,
  type CollectionName,
  type JsonObject,
  type JsonValue,
  type RecordKind,
  type StorageEngine,
} from '@millrace/kernel';
import { EVERY_DOCUMENT, parseMapping } from '@millrace/query';

/** The documents that a write may change. */
export type DocumentKey = CollectionName & { readonly id: string };

/** What was about to be changed. */
export interface WriteIntent {
  readonly id: string;
  readonly documents: readonly DocumentKey[];
  /** Collections that were to be created, changed or emptied; undefined for a write of documents. */
  readonly catalog: readonly CollectionName[] | undefined;
}

const KIND: Omit<RecordKind<WriteIntent, JsonObject>, 'collection'> = {
  mapping: parseMapping({ dynamic: false }),
  parse: ({ id, source }) => toIntent(id, source),
  toSource: (source) => source,
};

/** Changes of Elasticsearch that the embedded engine may not have yet, in a collection of the embedded engine. */
export class WriteIntents extends RecordStore<WriteIntent, JsonObject> {
  constructor(engine: StorageEngine, { index, collection }: CollectionName) {
    super({ engine, index }, { ...KIND, collection });
  }

  /** Durable when it resolves. @returns its id */
  add(documents: readonly DocumentKey[]): Promise<string> {
    const keys = documents.map(({ index, collection, id }) => [index, collection, id]);
    return this.store({ documents: keys });
  }

  /** As `add`, for a change of indexes and collections. */
  addCatalog(names: readonly CollectionName[]): Promise<string> {
    return this.store({ catalog: names.map(({ index, collection }) => [index, collection]) });
  }

  /** Never rejects: one that is left is found to be done at the next start. */
  async remove(id: string): Promise<void> {
    try {
      await this.delete(id, 'present', false);
    } catch {
      // A full disk.
    }
  }

  /** Removes the collection. */
  async dropCollection(): Promise<void> {
    if (await this.engine.hasCollection(this.name)) await this.engine.deleteCollection(this.name);
  }

  /** Those that a former process has left. */
  async left(): Promise<readonly WriteIntent[]> {
    const intents: WriteIntent[] = [];
    for await (const intent of this.scan(EVERY_DOCUMENT)) intents.push(intent);
    return intents;
  }

  private async store(source: JsonObject): Promise<string> {
    const id = randomUUID();
    await this.put(id, source, 'any', false);
    return id;
  }
}

function toIntent(id: string, { documents, catalog }: JsonObject): WriteIntent {
  const keys = rows(documents).map(([index = '', collection = '', document = '']) => ({
    index,
    collection,
    id: document,
  }));
  const names = rows(catalog).map(([index = '', collection = '']) => ({ index, collection }));
  return { id, documents: keys, catalog: catalog === undefined ? undefined : names };
}

function rows(value: JsonValue | undefined): readonly (readonly string[])[] {
  return (value ?? []) as readonly string[][];
}
