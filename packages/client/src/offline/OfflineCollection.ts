import type { Collection } from '../collection/Collection.js';
import type { Document } from '../collection/Document.js';
import type { Changes } from '../collection/Write.js';
import { createKey } from '../createKey.js';
import { isError } from '../errors/MillraceError.js';
import type { RequestOptions } from '../Request.js';
import type { CollectionAddress } from './Drafts.js';
import type { DocumentState, OfflineDocument, ShownDocument } from './OfflineDocument.js';
import type { DocumentAddress } from './OutboxEntry.js';
import type { Outbox, RequestedWrite } from './Outbox.js';

let lastMs = 0;

/** Options of a write to an existing document. */
export interface OfflineWriteOptions<T> {
  /**
   * The document as the writer has seen it, such as a hit or an item of `overlay`: if another client has changed it
   * meanwhile, the conflict policy decides. Absent: the write is executed whatever the document is then.
   */
  readonly seen?: Pick<ShownDocument<T>, 'version' | 'source'>;
}

/** Writes of a collection that are sent as soon as the server can be reached: `client.collection(…).offline`. */
export class OfflineCollection<T> {
  readonly #collection: Collection<T>;
  readonly #outbox: Outbox;
  readonly #address: CollectionAddress;

  constructor(collection: Collection<T>, outbox: Outbox) {
    this.#collection = collection;
    this.#outbox = outbox;
    this.#address = { index: collection.index, collection: collection.name };
  }

  /**
   * Creates a document. All writes are stored once the promise is fulfilled, and sent later; those of one document in
   * the order of the calls.
   * @param options.id default: a UUID of version 7
   * @returns the id
   * @throws OfflineError `offline.full`; errors of the store
   */
  async create(source: T, options?: { readonly id?: string }): Promise<string> {
    const id = options?.id ?? createId();
    await this.#add(id, { action: 'create', body: source, hasOwnId: options?.id === undefined });
    return id;
  }

  /** Replaces the content of a document. @throws OfflineError `offline.full`; errors of the store */
  replace(id: string, source: T, options?: OfflineWriteOptions<T>): Promise<void> {
    return this.#add(id, { action: 'replace', body: source }, options);
  }

  /** Merges changes into a document. @throws OfflineError `offline.full`; errors of the store */
  update(id: string, changes: Changes<T>, options?: OfflineWriteOptions<T>): Promise<void> {
    return this.#add(id, { action: 'update', body: changes }, options);
  }

  /** Deletes a document; nothing happens if it is absent then. @throws OfflineError `offline.full`; errors of the store */
  delete(id: string, options?: OfflineWriteOptions<T>): Promise<void> {
    return this.#add(id, { action: 'delete' }, options);
  }

  /**
   * A document with its unsent writes applied; null if it is absent then. Without a connection, a document that was
   * created here.
   * @throws NetworkError, TimeoutError if the server can't be reached and the document isn't known here
   */
  async get(id: string, options?: RequestOptions): Promise<(ShownDocument<T> & DocumentState) | null> {
    let document: Document<T> | null = null;
    let failure: unknown;
    try {
      await this.#outbox.ready();
      document = await this.#collection.get(id, options);
    } catch (error) {
      if (isError(error)) throw error;
      failure = error;
    }
    const shown = this.#outbox.drafts.one(this.#at(id), document);
    if (failure !== undefined && shown === null) throw failure as Error;
    return shown as ShownDocument<T> & DocumentState;
  }

  /**
   * Documents, such as the hits of a search, with their unsent writes applied, and behind them the documents that were
   * created here and aren't among them. Deleted ones are left out.
   */
  overlay<D extends ShownDocument<T>>(
    documents: readonly D[],
  ): readonly (Partial<D> & ShownDocument<T> & DocumentState)[] {
    const overlaid = this.#outbox.drafts.overlay(this.#address, documents);
    return overlaid as readonly (Partial<D> & ShownDocument<T> & DocumentState)[];
  }

  /** Whether the server has all writes of a document. */
  state(id: string): DocumentState {
    return this.#outbox.drafts.state(this.#at(id));
  }

  /** The documents with unsent writes; the same list until it changes, as an external store of React needs it. */
  getSnapshot(): readonly OfflineDocument<T>[] {
    return this.#outbox.drafts.list(this.#address) as readonly OfflineDocument<T>[];
  }

  /** Calls the listener when unsent writes change. Returns the function that ends it. */
  subscribe(listener: () => void): () => void {
    return this.#outbox.drafts.subscribe(listener);
  }

  /** Sends the writes of a document again of which one has failed. */
  retry(id: string): Promise<void> {
    return this.#outbox.retry(this.#at(id));
  }

  /** Drops the unsent writes of a document. One that is being sent may be executed nevertheless. */
  discard(id: string): Promise<void> {
    return this.#outbox.discard(this.#at(id));
  }

  #add(
    id: string,
    write: Pick<RequestedWrite, 'action' | 'body' | 'hasOwnId'>,
    options?: OfflineWriteOptions<T>,
  ): Promise<void> {
    const { version: ifVersion, source: base } = options?.seen ?? {};
    const seen = ifVersion === undefined ? undefined : { ifVersion, base };
    return this.#outbox.add({ ...this.#at(id), ...write, ...seen });
  }

  #at(id: string): DocumentAddress {
    return { ...this.#address, id };
  }
}

/** A UUID of version 7: ids that this program makes later sort behind those that it made before. */
function createId(): string {
  lastMs = Math.max(lastMs + 1, Date.now());
  const time = lastMs.toString(16).padStart(12, '0');
  return `${time.replace(/^.{8}/, '$&-')}-7${createKey().slice(15)}`;
}
