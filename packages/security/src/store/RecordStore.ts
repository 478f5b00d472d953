import {
  documentErrors,
  isThenable,
  MAX_RESULT_BYTES,
  type CollectionName,
  type JsonObject,
  type Logger,
  type MaybePromise,
  type MillraceError,
  type StorageEngine,
  type StoredDocument,
  type WriteCondition,
} from '@millrace/kernel';
import type { Mapping } from '@millrace/query';
import { assertAccountId, isAccountId } from '../assertAccountId.js';
import { InternalCollection, isError, type WrittenOutcome } from './InternalCollection.js';
import { RecordCache } from './RecordCache.js';
import { termsSearch, toDocuments, type PageArguments, type SearchPage } from './SearchPage.js'; // prettier-ignore

/** Maximum of cached records. */
const MAX_CACHED = 10_000;

/** Describes one kind of record and its storage. */
export interface RecordKind {
  readonly noun: 'role' | 'profile';
  readonly collection: string;
  readonly mapping: Mapping;
  readonly notFound: (id: string) => MillraceError;
  readonly exists: (id: string, cause: Error) => MillraceError;
}

/**
 * Stores the records that grant rights, roles or profiles. Every request reads them and they seldom change, so they
 * are cached.
 */
export abstract class RecordStore<T> {
  protected readonly collection: InternalCollection;
  private readonly cache: RecordCache<T>;

  constructor(
    engine: StorageEngine,
    index: string,
    private readonly log: Logger,
    private readonly kind: RecordKind,
  ) {
    this.collection = new InternalCollection(engine, index, kind.collection, kind.mapping);
    this.cache = new RecordCache(MAX_CACHED, (id) => this.load(id));
  }

  get name(): CollectionName {
    return this.collection.name;
  }

  ensure(): Promise<void> {
    return this.collection.ensure();
  }

  /** Returns a value if the record is cached. */
  find(id: string): MaybePromise<T | null> {
    return this.cache.get(id);
  }

  /** @throws security.role_not_found, security.profile_not_found (404) */
  async get(id: string): Promise<T> {
    const found = await this.find(id);
    if (found === null) throw this.kind.notFound(id);
    return found;
  }

  /** The existing records, in the order of `ids`. @throws query.result_too_large (400) */
  async getMany(ids: readonly string[]): Promise<readonly T[]> {
    const options = { maxBytes: MAX_RESULT_BYTES };
    return this.readAll(await this.collection.readMany(ids.filter(isAccountId), options));
  }

  /** Ids of all records. */
  listIds(): Promise<readonly string[]> {
    return this.collection.listIds();
  }

  /** @throws security.role_not_found, security.profile_not_found (404) */
  async delete(id: string): Promise<void> {
    const isThere = isAccountId(id) && (await this.collection.delete(id));
    this.drop(id);
    if (!isThere) throw this.kind.notFound(id);
  }

  /** Drops a cached record that another node has changed. */
  drop(id: string): void {
    this.cache.drop(id);
  }

  dropAll(): void {
    this.cache.dropAll();
  }

  /** @throws Error for content that this version can't read */
  protected abstract parse(document: StoredDocument): T;

  protected async put(
    id: string,
    source: JsonObject,
    condition: WriteCondition,
  ): Promise<WrittenOutcome> {
    assertAccountId(this.kind.noun, id);
    try {
      return await this.collection.put(id, source, condition);
    } catch (error) {
      throw isError(error, documentErrors.already_exists) ? this.kind.exists(id, error) : error;
    } finally {
      this.drop(id);
    }
  }

  /** @throws query.window_too_large (400) */
  protected async searchPage(
    terms: Readonly<Record<string, readonly string[]>>,
    page: PageArguments,
    signal: AbortSignal | undefined,
  ): Promise<SearchPage<T>> {
    const { hits, total } = await this.collection.search(termsSearch(terms, page), { signal });
    return { hits: this.readAll(toDocuments(hits)), total };
  }

  private load(id: string): MaybePromise<T | null> {
    if (!isAccountId(id)) return null;
    const read = this.collection.read(id);
    if (isThenable(read)) return read.then((document) => document && this.read(document));
    return read && this.read(read);
  }

  private readAll(documents: readonly StoredDocument[]): readonly T[] {
    return documents.flatMap((document) => this.read(document) ?? []);
  }

  /** A record that this version can't read grants nothing; failing would block all requests of its users. */
  private read(document: StoredDocument): T | null {
    try {
      return this.parse(document);
    } catch (error) {
      const { noun } = this.kind;
      const message = `a stored ${noun} cannot be read: it grants nothing`;
      this.log.error({ [`${noun}Id`]: document.id, err: error }, message);
      return null;
    }
  }
}
