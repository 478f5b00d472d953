import {
  INTERNAL_INDEX,
  STORAGE_ENGINE,
  storageErrors,
  type CollectionName,
  type StorageEngine,
  type WriteCondition,
  type WriteOperation,
  type WriteOutcome,
} from '@millrace/kernel';
import { parseMapping, parseSearch } from '@millrace/query';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { fromDocument, nameKey, toSource, type NameRecord } from './NameRecord.js';

const COLLECTION = 'subscriptions';

/** Names of one user. */
export const MAX_NAMES = 100;

const MAPPING = parseMapping({
  dynamic: false,
  properties: { user: { type: 'keyword' }, record: { type: 'object', enabled: false } },
});

/** A record with the version of its document. */
export interface StoredName {
  readonly record: NameRecord;
  readonly version: number;
}

/** Named subscriptions in a collection of the internal index. */
@scoped(Scope.ContainerScoped)
export class NameStore {
  private readonly place: CollectionName;

  constructor(
    @inject(STORAGE_ENGINE) private readonly engine: StorageEngine,
    @inject(INTERNAL_INDEX) index: string,
  ) {
    this.place = { index, collection: COLLECTION };
  }

  async read(key: string): Promise<StoredName | null> {
    const document = await this.engine.read(this.place, key);
    return document && { record: fromDocument(document), version: document.version };
  }

  /** @returns the new version; undefined: the condition doesn't hold, another node has written */
  async put(record: NameRecord, condition: WriteCondition): Promise<number | undefined> {
    const id = nameKey(record, record.name);
    const put: WriteOperation = { ...this.place, kind: 'put', id, source: toSource(record), condition };
    // Searches of `list` see new names.
    const isNew = condition === 'absent';
    let outcome = await this.write(put, isNew);
    if (outcome.status === 'failed' && outcome.error.id === storageErrors.collection_not_found.id) {
      await this.engine.createCollection(this.place, MAPPING);
      outcome = await this.write(put, isNew);
    }
    if (outcome.status !== 'failed') return outcome.version;
    const { status } = outcome.error;
    if (status === 404 || status === 409) return undefined;
    throw outcome.error;
  } // prettier-ignore

  /**
   * @param condition a version: only that one
   * @returns false if it was absent, or had another version
   */
  async remove(key: string, condition: 'present' | number = 'present'): Promise<boolean> {
    const outcome = await this.write({ ...this.place, kind: 'delete', id: key, condition }, true);
    if (outcome.status !== 'failed') return true;
    const { status } = outcome.error;
    if (status === 404 || status === 409) return false;
    throw outcome.error;
  }

  /** The named subscriptions of a user and of the user's API keys, by name. */
  async list(user: string): Promise<readonly StoredName[]> {
    const { engine, place } = this;
    if (!(await engine.hasCollection(place))) return [];
    const found = await engine.search(
      place,
      parseSearch({ query: { term: { user } }, size: 2 * MAX_NAMES, _source: false }),
    );
    const documents = await engine.readMany(
      place,
      found.hits.map(({ id }) => id),
    );
    const names = documents.flatMap((document) =>
      document ? [{ record: fromDocument(document), version: document.version }] : [],
    );
    return names.sort((a, b) => (a.record.name < b.record.name ? -1 : 1));
  } // prettier-ignore

  private async write(operation: WriteOperation, refresh: boolean): Promise<WriteOutcome> {
    const [outcome] = await this.engine.write([operation], refresh);
    if (outcome === undefined) throw new Error('the engine gave no outcome');
    return outcome;
  }
}
