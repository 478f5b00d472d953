import {
  MillraceError,
  type CollectionName,
  type JsonObject,
  type MaybePromise,
  type ReadOptions,
  type SearchOptions,
  type SearchOutcome,
  type StorageEngine,
  type StoredDocument,
  type WriteCondition,
  type WriteOperation,
  type WriteOutcome,
} from '@millrace/kernel';
import { parseCount, type Mapping, type Query, type SearchRequest } from '@millrace/query';

/** The outcome of a write that succeeded. */
export type WrittenOutcome = Exclude<WriteOutcome, { readonly status: 'failed' }>;

/**
 * One collection of the internal index, not subject to the rules for documents. Searches see a write as soon as it
 * resolves (SEC-47).
 */
export class InternalCollection {
  readonly name: CollectionName;

  constructor(
    private readonly engine: StorageEngine,
    index: string,
    collection: string,
    private readonly mapping: Mapping,
  ) {
    this.name = { index, collection };
  }

  /** Creates the collection if it is absent. Call it first. */
  async ensure(): Promise<void> {
    if (!(await this.engine.hasCollection(this.name))) {
      await this.engine.createCollection(this.name, this.mapping);
    }
  }

  read(id: string): MaybePromise<StoredDocument | null> {
    return this.engine.read(this.name, id);
  }

  /** The existing documents, in the order of `ids`. */
  async readMany(ids: readonly string[], options?: ReadOptions): Promise<readonly StoredDocument[]> {
    const documents = await this.engine.readMany(this.name, ids, options);
    return documents.filter((document) => document !== null);
  }

  putOperation(id: string, source: JsonObject, condition: WriteCondition): WriteOperation {
    return { ...this.name, kind: 'put', id, source, condition };
  }

  deleteOperation(id: string, condition: 'present' | number = 'present'): WriteOperation {
    return { ...this.name, kind: 'delete', id, condition };
  }

  /** @throws the engine's error: document.already_exists, document.not_found, document.version_conflict, … */
  async put(id: string, source: JsonObject, condition: WriteCondition): Promise<WrittenOutcome> {
    const [outcome] = await this.write([this.putOperation(id, source, condition)]);
    return written(outcome);
  }

  /** @returns false if it didn't exist */
  async delete(id: string): Promise<boolean> {
    const [outcome] = await this.write([this.deleteOperation(id)]);
    if (outcome?.status === 'failed' && outcome.error.status === 404) return false;
    written(outcome);
    return true;
  }

  write(operations: readonly WriteOperation[]): Promise<readonly WriteOutcome[]> {
    return this.engine.write(operations, true);
  }

  search(request: SearchRequest, options?: SearchOptions): Promise<SearchOutcome> {
    return this.engine.search(this.name, request, options);
  }

  count(query: Query): Promise<number> {
    return this.engine.count(this.name, query);
  }

  /** Ids of all current documents. */
  async listIds(): Promise<readonly string[]> {
    const all: string[] = [];
    for await (const ids of this.scan(parseCount({}))) all.push(...ids);
    return all;
  }

  /** Ids of all documents that currently match. */
  async *scan(query: Query): AsyncIterable<readonly string[]> {
    for await (const batch of this.engine.scan(this.name, query)) yield batch.map(({ id }) => id);
  }
}

/** @throws the error of a write that failed */
export function written(outcome: WriteOutcome | undefined): WrittenOutcome {
  if (outcome === undefined) throw new Error('the engine gave no outcome');
  if (outcome.status === 'failed') throw outcome.error;
  return outcome;
}

/** True for the registered error with this id. */
export function isError(error: unknown, factory: { readonly id: string }): error is MillraceError {
  return error instanceof MillraceError && error.id === factory.id;
}
