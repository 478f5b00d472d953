import { RECORD_PLACE, RecordStore, type RecordKind, type RecordPlace, type WriteCondition } from '@millrace/kernel';
import { parseMapping, parseSearch } from '@millrace/query';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { nameKey, type NameRecord } from './NameRecord.js';

/** Names of one user. */
export const MAX_NAMES = 100;

/** A record with the version of its document. */
export interface StoredName {
  readonly record: NameRecord;
  readonly version: number;
}

const KIND: RecordKind<StoredName, NameRecord> = {
  collection: 'subscriptions',
  // Only `user` is searchable.
  mapping: parseMapping({
    dynamic: false,
    properties: { user: { type: 'keyword' }, record: { type: 'object', enabled: false } },
  }),
  // The document was written by this package, so its shape is known.
  parse: ({ version, source: { user, record } }) => ({
    version,
    record: { user, ...(record as object) } as NameRecord,
  }),
  toSource: ({ user, ...record }) => ({ user, record: { ...record, options: { ...record.options } } }),
};

/** Named subscriptions in a collection of the internal index, by `nameKey`. */
@scoped(Scope.ContainerScoped)
export class NameStore extends RecordStore<StoredName, NameRecord> {
  constructor(@inject(RECORD_PLACE) place: RecordPlace) {
    super(place, KIND);
  }

  /** @returns the new version; undefined: the condition doesn't hold, another node has written */
  async save(record: NameRecord, condition: WriteCondition): Promise<number | undefined> {
    // Searches of `list` see new names.
    const isNew = condition === 'absent';
    return (await this.tryPut(nameKey(record, record.name), record, condition, isNew))?.version;
  }

  /** The named subscriptions of a user and of the user's API keys, by name. */
  async list(user: string): Promise<readonly StoredName[]> {
    const search = parseSearch({ query: { term: { user } }, size: 2 * MAX_NAMES, _source: false });
    const { hits } = await this.search(search);
    // Read, because searches see new names but not each acknowledgement.
    const names = hits.length === 0 ? [] : await this.readMany(hits.map(({ id }) => id));
    return [...names].sort((a, b) => (a.record.name < b.record.name ? -1 : 1));
  }
}
