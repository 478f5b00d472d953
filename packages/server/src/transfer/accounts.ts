import type { CollectionName, SearchHit, StorageEngine } from '@millrace/kernel';
import { parseMapping, parseSearch, toMappingBody } from '@millrace/query';
import type { TransferRecord } from './TransferRecord.js';

/** In the order of an import: what refers to something follows it. */
const ACCOUNTS = ['roles', 'profiles', 'users'];
/** Hashes of passwords and of API keys. The signing key is never exported: it belongs to one installation. */
const SECRETS = ['credentials', 'api-keys'];

const EVERYTHING = parseSearch({ size: 500 }, { scroll: '30m' });

/** The stored accounts, from the engine: no action returns credentials. */
export async function* exportAccounts(
  engine: StorageEngine,
  index: string,
  withSecrets: boolean,
): AsyncGenerator<TransferRecord> {
  for (const collection of withSecrets ? [...ACCOUNTS, ...SECRETS] : ACCOUNTS) {
    const name = { index, collection };
    if (!(await engine.hasCollection(name))) continue;
    // Searchable properties of users may be mapped by the administrator.
    const mapping = toMappingBody(await engine.getMapping(name));
    yield { type: 'accountMapping', collection, mapping };
    for await (const { id, source = {} } of documentsOf(engine, name))
      yield { type: 'account', collection, _id: id, _source: source };
  }
}

async function* documentsOf(engine: StorageEngine, name: CollectionName): AsyncGenerator<SearchHit> {
  const cursor = await engine.openCursor(name, EVERYTHING);
  try {
    for (;;) {
      const { hits } = await cursor.next();
      yield* hits;
      if (hits.length < EVERYTHING.size) return;
    }
  } finally {
    await cursor.close();
  }
}

/** Creates the collection of accounts, or adds to its mapping. @throws Error for a collection that has no accounts */
export async function importAccountMapping(
  engine: StorageEngine,
  index: string,
  { collection, mapping }: TransferRecord & { readonly type: 'accountMapping' },
): Promise<void> {
  const name = nameOf(index, collection);
  const parsed = parseMapping(mapping);
  if (!(await engine.createCollection(name, parsed))) await engine.updateMapping(name, parsed);
}

/**
 * Stores accounts, replacing those with the same ids.
 * @returns those that were replaced, such as `users/admin`
 * @throws the error of the first one that can't be stored
 */
export async function importAccounts(
  engine: StorageEngine,
  index: string,
  records: readonly (TransferRecord & { readonly type: 'account' })[],
): Promise<readonly string[]> {
  const operations = records.map(({ collection, _id, _source }) => ({
    ...nameOf(index, collection),
    kind: 'put' as const,
    id: _id,
    source: _source,
    condition: 'any' as const,
  }));
  const replaced: string[] = [];
  for (const [at, outcome] of (await engine.write(operations, true)).entries()) {
    if (outcome.status === 'failed') throw outcome.error;
    const { collection = '', id = '' } = operations[at] ?? {};
    if (outcome.status === 'replaced') replaced.push(`${collection}/${id}`);
  }
  return replaced;
}

function nameOf(index: string, collection: string): CollectionName {
  if ([...ACCOUNTS, ...SECRETS].includes(collection)) return { index, collection };
  throw new Error(`Unknown kind of account ${JSON.stringify(collection)}`);
}
