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
import { InternalCollection, isError } from './InternalCollection.js';
import { parseJsonText } from './parseJsonText.js';
import { RecordCache } from './RecordCache.js';
import { termsSearch, toDocuments, type PageArguments, type SearchPage } from './SearchPage.js';

/** Maximum of cached records. */
const MAX_CACHED = 10_000;

/** Describes one kind of record, its content `T` and its storage. */
export interface RecordKind<T> {
  readonly noun: 'role' | 'profile';
  readonly collection: string;
  readonly mapping: Mapping;
  readonly notFound: (id: string) => MillraceError;
  readonly exists: (id: string, cause: Error) => MillraceError;
  /** @throws security.invalid_role, security.invalid_profile (400) */
  readonly parse: (id: string, body: JsonObject) => T;
  /** The content as stored and returned. */
  readonly toBody: (content: T) => JsonObject;
  /** The content after an update. @throws as `parse` */
  readonly merge: (id: string, content: T, change: JsonObject) => T;
  /** The names by which a record can be found, by field of the mapping. */
  readonly terms: (content: T) => Readonly<Record<string, readonly string[]>>;
}

/** A record with its version. */
export interface StoredRecord<T> {
  readonly id: string;
  readonly version: number;
  readonly content: T;
  /** True if a write created it; absent for updates and reads. */
  readonly isNew?: boolean;
  /** Warnings for the author of a write; only in the response to that write. */
  readonly warnings?: readonly string[];
}

/**
 * Stores the records that grant rights, roles or profiles, as JSON strings: their keys come from users and must not
 * become fields. Every request reads them and they seldom change, so they are cached. Doesn't know which records refer
 * to each other.
 */
export abstract class RecordStore<T> {
  protected readonly collection: InternalCollection;
  private readonly cache: RecordCache<StoredRecord<T>>;

  constructor(
    engine: StorageEngine,
    index: string,
    private readonly log: Logger,
    readonly kind: RecordKind<T>,
  ) {
    this.collection = new InternalCollection(engine, index, kind.collection, kind.mapping);
    this.cache = new RecordCache(
      MAX_CACHED,
      (id) => this.load(id),
      ({ content }) => kind.toBody(content),
    );
  }

  get name(): CollectionName {
    return this.collection.name;
  }

  ensure(): Promise<void> {
    return this.collection.ensure();
  }

  /** Returns a value if the record is cached. */
  find(id: string): MaybePromise<StoredRecord<T> | null> {
    return this.cache.get(id);
  }

  /** @throws security.role_not_found, security.profile_not_found (404) */
  async get(id: string): Promise<StoredRecord<T>> {
    const found = await this.find(id);
    if (found === null) throw this.kind.notFound(id);
    return found;
  }

  /** The existing records, in the order of `ids`. @throws query.result_too_large (400) */
  async getMany(ids: readonly string[]): Promise<readonly StoredRecord<T>[]> {
    const options = { maxBytes: MAX_RESULT_BYTES };
    return this.readAll(await this.collection.readMany(ids.filter(isAccountId), options));
  }

  /** @throws security.invalid_id (400), security.profile_exists, security.role_exists (409) */
  async write(id: string, content: T, condition: WriteCondition): Promise<StoredRecord<T>> {
    const { noun, exists, terms, toBody } = this.kind;
    assertAccountId(noun, id);
    const source = { ...terms(content), content: JSON.stringify(toBody(content)) };
    try {
      const { status, version } = await this.collection.put(id, source, condition);
      const isUpdate = typeof condition === 'number';
      return { id, version, content, ...(isUpdate ? undefined : { isNew: status === 'created' }) };
    } catch (error) {
      throw isError(error, documentErrors.already_exists) ? exists(id, error) : error;
    } finally {
      this.drop(id);
    }
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

  /**
   * @param terms by field; returns only records with one of the terms in each field, fields without terms are ignored
   * @throws query.window_too_large (400)
   */
  async search(
    terms: Readonly<Record<string, readonly string[]>>,
    page: PageArguments,
    signal?: AbortSignal,
  ): Promise<SearchPage<StoredRecord<T>>> {
    const { hits, total } = await this.collection.search(termsSearch(terms, page), { signal });
    return { hits: this.readAll(toDocuments(hits)), total };
  }

  private load(id: string): MaybePromise<StoredRecord<T> | null> {
    if (!isAccountId(id)) return null;
    const read = this.collection.read(id);
    if (isThenable(read)) return read.then((document) => document && this.read(document));
    return read && this.read(read);
  }

  private readAll(documents: readonly StoredDocument[]): readonly StoredRecord<T>[] {
    return documents.flatMap((document) => this.read(document) ?? []);
  }

  /** A record that this version can't read grants nothing; failing would block all requests of its users. */
  private read({ id, version, source }: StoredDocument): StoredRecord<T> | null {
    try {
      const body = parseJsonText(source['content'], this.name, id);
      return { id, version, content: this.kind.parse(id, body) };
    } catch (error) {
      const { noun } = this.kind;
      const message = `a stored ${noun} cannot be read: it grants nothing`;
      this.log.error({ [`${noun}Id`]: id, err: error }, message);
      return null;
    }
  }
}
