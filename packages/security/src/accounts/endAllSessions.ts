import {
  isJsonObject,
  RecordStore,
  written,
  type JsonObject,
  type RecordKind,
  type StorageEngine,
  type StoredDocument,
} from '@millrace/kernel';
import { EVERY_DOCUMENT, parseMapping } from '@millrace/query';
import { newGen } from './newGen.js';
import { RESERVED_FIELD } from '../users/RESERVED_FIELD.js';

/** Users as they are stored, by any version. */
const KIND: RecordKind<StoredDocument, JsonObject> = {
  collection: 'users',
  mapping: parseMapping({}),
  parse: (document) => document,
  toSource: (source) => source,
};

/**
 * Ends the sessions of all users of a store that no server uses: tokens issued before are revoked. For restored
 * backups, which don't have the revocations since.
 */
export async function endAllSessions(engine: StorageEngine, internalIndex: string): Promise<void> {
  const users = new RecordStore({ engine, index: internalIndex }, KIND);
  for await (const ids of users.scanIds(EVERY_DOCUMENT)) {
    const found = await users.readMany(ids);
    const operations = found.map(({ id, version, source }) => {
      const account = source[RESERVED_FIELD];
      const ended = { ...(isJsonObject(account) ? account : {}), gen: newGen(), keptTokenId: null };
      return users.putOperation(id, { ...source, [RESERVED_FIELD]: ended }, version);
    });
    for (const outcome of await users.write(operations)) written(outcome);
  }
}
