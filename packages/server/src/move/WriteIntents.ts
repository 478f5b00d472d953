import { randomUUID } from 'node:crypto';
import type { CollectionName, JsonObject, JsonValue, StorageEngine } from '@millrace/kernel';
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

const MAPPING = parseMapping({ dynamic: false });

/** Changes of Elasticsearch that the embedded engine may not have yet, in a collection of the embedded engine. */
export class WriteIntents {
  constructor(
    private readonly engine: StorageEngine,
    private readonly name: CollectionName,
  ) {}

  /** Creates the collection. Call it first. */
  async ensure(): Promise<void> {
    await this.engine.createCollection(this.name, MAPPING);
  }

  /** Durable when it resolves. @returns its id */
  add(documents: readonly DocumentKey[]): Promise<string> {
    const keys = documents.map(({ index, collection, id }) => [index, collection, id]);
    return this.put({ documents: keys });
  }

  /** As `add`, for a change of indexes and collections. */
  addCatalog(names: readonly CollectionName[]): Promise<string> {
    return this.put({ catalog: names.map(({ index, collection }) => [index, collection]) });
  }

  /** Never rejects: one that is left is found to be done at the next start. */
  async remove(id: string): Promise<void> {
    try {
      await this.engine.write([{ ...this.name, kind: 'delete', id, condition: 'present' }], false);
    } catch {
      // A full disk.
    }
  }

  /** Removes the collection. */
  async drop(): Promise<void> {
    if (await this.engine.hasCollection(this.name)) await this.engine.deleteCollection(this.name);
  }

  /** Those that a former process has left. */
  async left(): Promise<readonly WriteIntent[]> {
    const intents: WriteIntent[] = [];
    for await (const found of this.engine.scan(this.name, EVERY_DOCUMENT)) {
      const ids = found.map(({ id }) => id);
      for (const document of await this.engine.readMany(this.name, ids))
        if (document !== null) intents.push(toIntent(document.id, document.source));
    }
    return intents;
  }

  private async put(source: JsonObject): Promise<string> {
    const id = randomUUID();
    const operation = { ...this.name, kind: 'put', id, source, condition: 'any' } as const;
    const [outcome] = await this.engine.write([operation], false);
    if (outcome?.status === 'failed') throw outcome.error;
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
