import { memoryOutbox, type OutboxChange, type OutboxStore } from '@millrace/client/offline';

/** A store that several clients share, as tabs do: returns the store for each. */
export function sharedOutbox(): () => OutboxStore {
  const memory = memoryOutbox();
  const listeners = new Set<(change: OutboxChange) => void>();
  let turn: Promise<unknown> = Promise.resolve();
  return () => {
    let own: ((change: OutboxChange) => void) | undefined;
    const notifyOthers = (change: OutboxChange) => {
      for (const listener of listeners) if (listener !== own) setImmediate(() => listener(change));
    };
    return {
      load: () => memory.load(),
      add: async (write) => {
        const position = await memory.add(write);
        notifyOthers({ put: [{ ...write, position }], removed: [] });
        return position;
      },
      change: async (change) => {
        await memory.change(change);
        notifyOthers(change);
      },
      exclusive: async (work, signal) => {
        const mine = turn.then(() => (signal.aborted ? undefined : work()));
        turn = mine.catch(() => undefined);
        await mine;
      },
      onChange: (listener) => {
        own = listener;
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    };
  };
}
