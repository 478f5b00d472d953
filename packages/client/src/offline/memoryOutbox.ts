import type { OutboxEntry } from './OutboxEntry.js';
import type { OutboxStore } from './OutboxStore.js';

/** Keeps writes in memory: they are gone when the program ends. */
export function memoryOutbox(): OutboxStore {
  const entries = new Map<number, OutboxEntry>();
  let position = 0;
  return {
    load: async () => [...entries.values()],
    add: async (write) => {
      entries.set(++position, { ...write, position });
      return position;
    },
    change: async ({ put, removed }) => {
      for (const entry of put) if (entries.has(entry.position)) entries.set(entry.position, entry);
      for (const each of removed) entries.delete(each);
    },
  };
}
