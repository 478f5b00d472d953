import type { Collection } from '../collection/Collection.js';
import type { Extension } from '../Extension.js';
import type { MillraceClient } from '../MillraceClient.js';
import type { RealtimeClient } from '../realtime/realtime.js';
import { watchPage } from '../realtime/watchPage.js';
import type { RequestOptions } from '../Request.js';
import { indexedDbOutbox } from './indexedDbOutbox.js';
import { memoryOutbox } from './memoryOutbox.js';
import { OfflineCollection } from './OfflineCollection.js';
import type { OfflineDocument } from './OfflineDocument.js';
import { OfflineError } from './OfflineError.js';
import { Outbox } from './Outbox.js';
import type { OutboxStore } from './OutboxStore.js';
import type { Conflict, ConflictPolicy } from './resolveConflict.js';
import { Sender } from './Sender.js';

/** Options of `offline`. All have defaults. */
export interface OfflineOptions {
  /** Default: IndexedDB, with a database for each address of a server; without it, as in Node.js, memory. */
  readonly store?: OutboxStore;
  /**
   * What happens to a write of a document that another client has changed since it was seen, by `index/collection`; `*`
   * is for all others. Default `merge`.
   */
  readonly conflicts?: Readonly<Record<string, ConflictPolicy>>;
  /** Called for each conflict, in the tab that sends. */
  readonly onConflict?: (conflict: Conflict) => void;
}

/** The writes of a client that wait to be sent. */
export interface OutboxView {
  /** All documents with unsent writes of the present user; the same list until it changes. */
  getSnapshot(): readonly OfflineDocument<unknown>[];
  /** Calls the listener when unsent writes change. Returns the function that ends it. */
  subscribe(listener: () => void): () => void;
  /** Sends nothing more. What is stored stays there. */
  close(): void;
}

/** What `offline()` adds to a client. */
export interface OfflineClient {
  readonly outbox: OutboxView;
  /**
   * Logs out, unless the user has unsent writes.
   * @param options.dropOutbox drops unsent writes, and logs out
   * @throws OfflineError `offline.not_empty`
   */
  logout(options?: RequestOptions & { readonly dropOutbox?: boolean }): Promise<void>;
}

/** What `offline()` adds to a collection. */
export interface OfflineFeature<T> {
  /** Writes that are sent as soon as the server can be reached. */
  readonly offline: OfflineCollection<T>;
}

/**
 * Adds an outbox to a client: `createClient(url).with(offline())`. Writes by `client.collection(…).offline` are stored,
 * sent when the server can be reached, and executed once.
 */
export function offline(options: OfflineOptions = {}): Extension<'offline'> {
  let outbox: Outbox;
  return {
    name: 'offline',
    extendClient(client) {
      const store = options.store ?? defaultStore(client.url);
      outbox = new Outbox(store, client.session);
      return open(client, outbox, store, options);
    },
    extendCollection: (collection: Collection<unknown>): OfflineFeature<unknown> => ({
      offline: new OfflineCollection(collection, outbox),
    }),
  };
}

function defaultStore(url: string): OutboxStore {
  return typeof indexedDB === 'undefined' ? memoryOutbox() : indexedDbOutbox(`millrace.outbox ${url}`);
}

function open(
  client: MillraceClient,
  outbox: Outbox,
  store: OutboxStore,
  { conflicts = {}, onConflict = () => undefined }: OfflineOptions,
): OfflineClient {
  const logout = client.logout.bind(client);
  const policyOf = ({ index, collection }: { readonly index: string; readonly collection: string }) =>
    conflicts[`${index}/${collection}`] ?? conflicts['*'] ?? 'merge';
  const sender = new Sender({ client, outbox, store, policyOf, onConflict });
  outbox.onChange = () => sender.start();
  const unwatch = watchPage(() => sender.wake());
  // Of `realtime()`, if the client has it.
  const { connection } = client as MillraceClient & Partial<RealtimeClient>;
  const unwatchConnection = connection?.onState((state) => {
    if (state === 'open') sender.wake();
  });
  // What an earlier page has left.
  outbox.ready().catch(() => undefined);
  return {
    outbox: {
      getSnapshot: () => outbox.drafts.list(),
      subscribe: (listener) => outbox.drafts.subscribe(listener),
      close: () => {
        unwatch();
        unwatchConnection?.();
        sender.close();
        outbox.close();
      },
    },
    logout: async ({ dropOutbox = false, ...rest } = {}) => {
      // A store that can't be read doesn't prevent a logout.
      const count = await outbox.size().catch(() => 0);
      if (count > 0 && !dropOutbox) throw new OfflineError('offline.not_empty', `${count} unsent writes`);
      if (count > 0) await outbox.discard();
      await logout(rest);
    },
  };
}
