import {
  AddressRanges,
  INTERNAL_INDEX,
  isThenable,
  STORAGE_ENGINE,
  storageErrors,
  type JsonValue,
  type Session,
  type MaybePromise,
  type StorageEngine,
  type StoredDocument,
  type WriteCondition,
} from '@millrace/kernel';
import { parseCount, parseMapping, type Query } from '@millrace/query';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { SECURITY_CONFIG, type SecurityConfig } from '../config.js';
import { toPolicyBodies } from '../profiles/parseProfile.js';
import { parsePolicies } from '../rights/parsePolicies.js';
import { InternalCollection } from '../store/InternalCollection.js';
import { parseJsonText } from '../store/parseJsonText.js';
import { RecordCache } from '../store/RecordCache.js';
import { termsSearch, toDocuments, type PageArguments, type SearchPage } from '../store/SearchPage.js';
import { tokenIdOf, type ApiKeyContent, type LoadedApiKey } from './ApiKeyRecord.js';

const MAPPING = parseMapping({ dynamic: false, properties: { userId: { type: 'keyword' } } });

/** The content as stored: policies as in the body of a profile. */
type StoredContent = Omit<ApiKeyContent, 'id' | 'userId' | 'policies'> & {
  readonly policies: readonly JsonValue[] | null;
};

/** Stores API keys, in the collection `api-keys` of the internal index. A copied document is a working key. */
@scoped(Scope.ContainerScoped)
export class ApiKeyStore {
  private readonly collection: InternalCollection;
  private readonly cache: RecordCache<LoadedApiKey>;

  constructor(
    @inject(STORAGE_ENGINE) engine: StorageEngine,
    @inject(INTERNAL_INDEX) index: string,
    @inject(SECURITY_CONFIG) config: SecurityConfig,
  ) {
    this.collection = new InternalCollection(engine, index, 'api-keys', MAPPING);
    this.cache = new RecordCache(
      config.cache.maxApiKeys,
      (id) => this.load(id),
      (key) => toStored(key),
    );
  }

  ensure(): Promise<void> {
    return this.collection.ensure();
  }

  /** The key, if it is in memory. */
  known(id: string): LoadedApiKey | undefined {
    return this.cache.known(id);
  }

  /** Returns a value if the key is in memory. */
  find(id: string): MaybePromise<LoadedApiKey | null> {
    return this.cache.get(id);
  }

  /** The key as stored now. */
  reload(id: string): MaybePromise<LoadedApiKey | null> {
    return this.cache.reload(id);
  }

  /** @throws document.already_exists, document.version_conflict (409), document.not_found (404) */
  async put(content: ApiKeyContent, condition: WriteCondition): Promise<void> {
    const { id, userId } = content;
    const source = { userId, content: JSON.stringify(toStored(content)) };
    try {
      await this.collection.put(id, source, condition);
    } finally {
      this.cache.drop(id);
    }
  }

  /** @returns false if it didn't exist */
  async delete(id: string): Promise<boolean> {
    try {
      return await this.collection.delete(id);
    } finally {
      this.cache.drop(id);
    }
  }

  count(userId: string): Promise<number> {
    return this.collection.count(ofUser(userId));
  }

  /** One page of a user's keys, by id. @throws query.window_too_large (400) */
  async search(userId: string, page: PageArguments, signal?: AbortSignal): Promise<SearchPage<LoadedApiKey>> {
    const request = termsSearch({ userId: [userId] }, page);
    const { hits, total } = await this.collection.search(request, { signal });
    return { hits: toDocuments(hits).map((document) => this.parse(document)), total };
  }

  /** All keys of a user. */
  async *listOf(userId: string): AsyncIterable<LoadedApiKey> {
    for await (const ids of this.collection.scan(ofUser(userId))) {
      for (const document of await this.collection.readMany(ids)) yield this.parse(document);
    }
  }

  drop(id: string): void {
    this.cache.drop(id);
  }

  dropAll(): void {
    this.cache.dropAll();
  }

  private load(id: string): MaybePromise<LoadedApiKey | null> {
    const read = this.collection.read(id);
    if (isThenable(read)) return read.then((document) => document && this.parse(document));
    return read && this.parse(read);
  }

  private parse({ id, version, source }: StoredDocument): LoadedApiKey {
    const { userId, content } = source;
    if (typeof userId !== 'string') throw storageErrors.corrupt({ ...this.collection.name, id });
    const stored = parseJsonText(content, this.collection.name, id) as unknown as StoredContent;
    const { allowedAddresses, expiresAtMs, policies, serial, replaced } = stored;
    const endsAtMs = expiresAtMs ?? Infinity;
    return {
      ...stored,
      id,
      version,
      userId,
      policies: policies && parsePolicies({ policies }),
      ranges: allowedAddresses && new AddressRanges(allowedAddresses),
      session: sessionOf(id, serial, userId, endsAtMs),
      replacedSession:
        replaced === null ? null : sessionOf(id, serial - 1, userId, Math.min(endsAtMs, replaced.endsAtMs)),
    };
  }
}

function toStored(content: ApiKeyContent): StoredContent {
  const { suid, name, policies, allowedAddresses, hash, serial, replaced } = content;
  const { createdAtMs, createdBy, expiresAtMs, lifeMs } = content;
  return {
    suid,
    name,
    policies: policies && toPolicyBodies(policies),
    allowedAddresses,
    createdAtMs,
    createdBy,
    expiresAtMs,
    lifeMs,
    hash,
    serial,
    replaced,
  };
}

function ofUser(userId: string): Query {
  return parseCount({ query: { term: { userId } } });
}

function sessionOf(id: string, serial: number, userId: string, expiresAtMs: number): Session {
  return { tokenId: tokenIdOf(id, serial), userId, expiresAtMs, apiKeyId: id };
}
