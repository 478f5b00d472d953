import { isJsonObject, type StorageEngine } from '@millrace/kernel';
import { parseCount, parseMapping } from '@millrace/query';
import { InternalCollection, written } from '../store/InternalCollection.js';
import { newGen } from './newGen.js';
import { RESERVED_FIELD } from './RESERVED_FIELD.js';

/**
 * Ends the sessions of all users of a store that no server uses: tokens issued before are revoked. For restored
 * backups, which don't have the revocations since.
 */
export async function endAllSessions(engine: StorageEngine, internalIndex: string): Promise<void> {
  const users = new InternalCollection(engine, internalIndex, 'users', parseMapping({}));
  if (!(await engine.hasCollection(users.name))) return;
  for await (const ids of users.scan(parseCount({}))) {
    const found = await users.readMany(ids);
    const operations = found.map(({ id, version, source }) => {
      const account = source[RESERVED_FIELD];
      const ended = { ...(isJsonObject(account) ? account : {}), gen: newGen(), keptTokenId: null };
      return users.putOperation(id, { ...source, [RESERVED_FIELD]: ended }, version);
    });
    for (const outcome of await users.write(operations)) written(outcome);
  }
}
