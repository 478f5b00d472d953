import type { ResponseMessage } from '@millrace/actions';
import { isError } from '../errors/MillraceError.js';
import type { ItemError } from '../errors/ErrorDetails.js';
import type { RequestOptions } from '../Request.js';
import type { Query } from '../schema/Query.js';
import type { Message } from '../Transport.js';
import { toDocument, toHit, type Document, type Hit, type WireDocument, type WireHit } from './Document.js';
import {
  importDocuments,
  type BulkAnswer,
  type Imported,
  type ImportOptions,
  type ImportSource,
} from './importDocuments.js';
import type { Search, SearchPage } from './Search.js';
import type { Changes, ManyWritten, NewDocument, VersionedOptions, WriteOptions, WrittenByQuery } from './Write.js';

/** Sends a message with the session, the time limit and the repeats of a client. */
export type Send = (
  message: Message,
  options?: RequestOptions & {
    /** The request can be sent again without a key: a repeat changes nothing. */
    readonly isRepeatable?: boolean;
  },
) => Promise<ResponseMessage>;

/** Sizes of pages of a scan: a page costs the server a search, however small it is. */
const FIRST_PAGE_SIZE = 500;
const MAX_PAGE_SIZE = 5_000;

/** The documents of one collection. Made by `client.collection`. */
export class Collection<T> {
  constructor(
    /** Sends a message with the session of the client; for extensions. */
    readonly send: Send,
    readonly index: string,
    readonly name: string,
  ) {}

  /** A document; null if it is absent. */
  async get(id: string, options?: RequestOptions): Promise<Document<T> | null> {
    try {
      return await this.#one('get', { _id: id }, options);
    } catch (error) {
      if (isError(error, 'document.not_found')) return null;
      throw error;
    }
  }

  /**
   * Creates a document.
   * @param options.id absent: the server makes one
   * @throws MillraceError `document.already_exists` (409)
   */
  create(source: T, options?: WriteOptions & { readonly id?: string }): Promise<Document<T>> {
    return this.#one('create', { _id: options?.id, body: source }, options);
  }

  /** Creates a document, or replaces the one there is. */
  createOrReplace(id: string, source: T, options?: WriteOptions): Promise<Document<T>> {
    return this.#one('createOrReplace', { _id: id, body: source }, options);
  }

  /**
   * Replaces the content of a document.
   * @throws MillraceError `document.not_found` (404), `document.version_conflict` (409)
   */
  replace(id: string, source: T, options?: VersionedOptions): Promise<Document<T>> {
    return this.#one('replace', { _id: id, body: source }, options);
  }

  /**
   * Merges changes into a document and returns the whole document.
   * @throws MillraceError `document.not_found` (404), `document.version_conflict` (409)
   */
  update(id: string, changes: Changes<T>, options?: VersionedOptions): Promise<Document<T>> {
    return this.#one('update', { _id: id, body: changes }, options);
  }

  /** Merges changes into a document, or creates it: `initial` with the changes merged into it. */
  upsert(id: string, changes: Changes<T>, initial?: Changes<T>, options?: WriteOptions): Promise<Document<T>> {
    return this.#one('upsert', { _id: id, body: { doc: changes, default: initial } }, options);
  }

  /** Deletes a document. @throws MillraceError `document.not_found` (404), `document.version_conflict` (409) */
  async delete(id: string, options?: VersionedOptions): Promise<void> {
    await this.#run('delete', { _id: id }, options);
  }

  /** Several documents; `errors` has those that are absent. */
  mGet(ids: readonly string[], options?: RequestOptions): Promise<ManyWritten<T>> {
    return this.#many('mGet', { ids }, options);
  }

  /** Creates several documents. */
  mCreate(documents: readonly NewDocument<T>[], options?: WriteOptions): Promise<ManyWritten<T>> {
    return this.#many('mCreate', toItems(documents), options);
  }

  /** Creates or replaces several documents. */
  mCreateOrReplace(documents: readonly Required<NewDocument<T>>[], options?: WriteOptions): Promise<ManyWritten<T>> {
    return this.#many('mCreateOrReplace', toItems(documents), options);
  }

  /** Replaces several documents that exist. */
  mReplace(documents: readonly Required<NewDocument<T>>[], options?: WriteOptions): Promise<ManyWritten<T>> {
    return this.#many('mReplace', toItems(documents), options);
  }

  /** Merges changes into several documents that exist. */
  mUpdate(documents: readonly Required<NewDocument<Changes<T>>>[], options?: WriteOptions): Promise<ManyWritten<T>> {
    return this.#many('mUpdate', toItems(documents), options);
  }

  /** Deletes several documents; `ids` are those that were deleted. */
  async mDelete(ids: readonly string[], options?: WriteOptions): Promise<WrittenByQuery> {
    type Result = { successes: string[]; errors: ItemError[] };
    const { successes, errors } = await this.#run<Result>('mDelete', { body: { ids } }, options);
    return { ids: successes, errors };
  }

  /** Searches: `search({ query: { range: { bikes: { lt: 5 } } }, sort: [{ bikes: 'asc' }], size: 50 })`. */
  async search<K extends keyof T = keyof T>(
    search: Search<T, K> = {},
    options?: RequestOptions,
  ): Promise<SearchPage<T, K>> {
    const { hits, total, aggregations, timed_out, took } = await this.#run<{
      hits: WireHit[];
      total: number;
      timed_out: boolean;
      took: number;
      aggregations?: SearchPage<T>['aggregations'];
    }>('search', { body: { ...search, version: true } }, options);
    return {
      hits: hits.map((hit) => toHit(hit)),
      total,
      timedOut: timed_out,
      tookMs: took,
      ...(aggregations && { aggregations }),
    };
  }

  /** Counts the documents that match; without a query, all. */
  async count(query?: Query<T>, options?: RequestOptions): Promise<number> {
    const { count } = await this.#run<{ count: number }>('count', { body: { query } }, options);
    return count;
  }

  /**
   * Reads all documents that match, page by page, by `sort` and then by id. Nothing is kept open on the server: the loop
   * may be left at any time. A document that is written meanwhile is seen before or after the change.
   *
   * ```ts
   * for await (const { id, source } of stations.scan({ query })) …
   * ```
   * @param search `size` is the size of all pages. Default: 500, and twice as many for each further page, up to 5,000
   */
  async *scan(
    { sort = [], size, ...search }: Omit<Search<T>, 'from' | 'aggs'> = {},
    options?: RequestOptions,
  ): AsyncGenerator<Hit<T>, void, undefined> {
    const criteria = [sort, '_id' as const].flat() as NonNullable<Search<T>['sort']>;
    let after = search.search_after;
    let wanted = size ?? FIRST_PAGE_SIZE;
    do {
      const page = {
        ...search,
        sort: criteria,
        size: wanted,
        ...(after && { search_after: after }),
      };
      const { hits } = await this.search(page, options);
      yield* hits;
      after = hits.length < wanted ? undefined : hits.at(-1)?.sort;
      wanted = size ?? Math.min(2 * wanted, MAX_PAGE_SIZE);
    } while (after !== undefined);
  }

  /**
   * Writes many documents in batches of at most 500 documents and 256 Ki characters, one after the other: any iterable of
   * documents, or NDJSON as a string, a `Blob` (a file) or a stream of bytes. A member `_id` is the id of a document.
   * @throws MillraceError if a whole batch is refused; earlier batches are written. SyntaxError for a line that is no JSON
   */
  import(source: ImportSource<T>, options?: ImportOptions): Promise<Imported> {
    const send = (bulkData: readonly object[], each: Parameters<Send>[1]) =>
      this.#run<BulkAnswer>('import', { body: { bulkData } }, each, 'bulk');
    return importDocuments(send, source as ImportSource<unknown>, options);
  }

  /** Merges changes into every document that matches. */
  async updateByQuery(query: Query<T>, changes: Changes<T>, options?: WriteOptions): Promise<WrittenByQuery> {
    type Result = { hits: string[]; errors: ItemError[] };
    const body = { query, doc: changes };
    const { hits, errors } = await this.#run<Result>('updateByQuery', { body }, options);
    return { ids: hits, errors };
  }

  /** Deletes every document that matches. */
  async deleteByQuery(query: Query<T>, options?: WriteOptions): Promise<WrittenByQuery> {
    const response = await this.send(this.#message('deleteByQuery', { body: { query } }, options), options);
    const { ids } = response.result as unknown as { ids: string[] };
    return { ids, errors: (response.error?.details ?? []) as unknown as ItemError[] };
  }

  async #one(action: string, fields: object, options?: VersionedOptions): Promise<Document<T>> {
    return toDocument(await this.#run<WireDocument>(action, fields, options));
  }

  async #many(action: string, body: object, options?: WriteOptions): Promise<ManyWritten<T>> {
    type Result = { successes: WireDocument[]; errors: ItemError[] };
    const { successes, errors } = await this.#run<Result>(action, { body }, options);
    return { documents: successes.map((each) => toDocument(each)), errors };
  }

  async #run<R>(action: string, fields: object, options?: VersionedOptions, controller = 'document'): Promise<R> {
    const message = this.#message(action, fields, options, controller);
    return (await this.send(message, options)).result as R;
  }

  #message(
    action: string,
    fields: object,
    { refresh, silent, ifVersion }: VersionedOptions = {},
    controller = 'document',
  ): Message {
    const { index, name: collection } = this;
    return { controller, action, index, collection, ...fields, refresh, silent, ifVersion };
  }
}

function toItems(documents: readonly NewDocument<unknown>[]): object {
  return { documents: documents.map(({ id, source }) => ({ _id: id, body: source })) };
}
