import type { OutboxEntry } from './OutboxEntry.js';
import type { OutboxChange, OutboxStore } from './OutboxStore.js';

const WRITES = 'writes';

/**
 * Keeps writes in IndexedDB: they survive reloads, and all tabs of an origin share them. One tab at a time sends
 * (`navigator.locks`; pages over plain HTTP have no locks, so that each of their tabs sends, each write still once).
 * @param name of the database
 */
export function indexedDbOutbox(name = 'millrace.outbox'): OutboxStore {
  let opened: Promise<IDBDatabase> | undefined;
  let channel: BroadcastChannel | undefined;
  const openChannel = () => (channel ??= new BroadcastChannel(name));
  const open = () => {
    opened ??= openDatabase(name, () => (opened = undefined));
    return opened;
  };
  /** Runs requests in one transaction; fulfilled once it is on the disk. */
  const run = async <R>(mode: IDBTransactionMode, work: (writes: IDBObjectStore) => IDBRequest<R>) => {
    const database = await open();
    return new Promise<R>((resolve, reject) => {
      const transaction = database.transaction(WRITES, mode, { durability: 'strict' });
      const request = work(transaction.objectStore(WRITES));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(transaction.error!);
    });
  }; // prettier-ignore

  return {
    load: () => run('readonly', (writes) => writes.getAll() as IDBRequest<OutboxEntry[]>),
    add: async (write) => {
      const position = (await run('readwrite', (writes) => writes.add(write))) as number;
      openChannel().postMessage({ put: [{ ...write, position }], removed: [] });
      return position;
    },
    change: async (change) => {
      await run('readwrite', (writes) => {
        for (const entry of change.put) {
          const found = writes.getKey(entry.position);
          found.onsuccess = () => found.result !== undefined && writes.put(entry);
        }
        for (const position of change.removed) writes.delete(position);
        return writes.count();
      });
      openChannel().postMessage(change);
    },
    exclusive: async (work, signal) => {
      await (navigator.locks?.request(name, { signal }, work) ?? work());
    },
    onChange: (listener) => {
      const onMessage = ({ data }: MessageEvent<OutboxChange>) => listener(data);
      openChannel().addEventListener('message', onMessage);
      return () => {
        channel?.close();
        channel = undefined;
      };
    },
  };
}

/** @param onLost called when the database can't be used any more */
function openDatabase(name: string, onLost: () => void): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore(WRITES, { keyPath: 'position', autoIncrement: true });
    };
    request.onerror = () => {
      onLost();
      reject(request.error!);
    };
    request.onsuccess = () => {
      const database = request.result;
      database.onclose = onLost;
      // Another tab deletes the database, or has a later version of the page.
      database.onversionchange = () => {
        database.close();
        onLost();
      };
      resolve(database);
    };
  });
}
