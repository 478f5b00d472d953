import { memoryStore, type TokenStore } from '@millrace/client';

const NAME = 'millrace.console';

/** Keeps the token in the memory of each tab: the tabs of a browser notify each other of new ones. */
export function tabStore(): TokenStore {
  const kept = memoryStore();
  const channel = new BroadcastChannel(NAME);
  const listeners = new Set<() => void>();
  channel.onmessage = ({ data }: MessageEvent<string | null>) => {
    void kept.set(data);
    for (const listener of listeners) listener();
  };
  return {
    get: () => kept.get(),
    set: (token) => {
      void kept.set(token);
      channel.postMessage(token);
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    // Pages over plain HTTP have no locks: the server lets tabs try again that are renewed at the same moment.
    exclusive: async (work) => (navigator as { readonly locks?: LockManager }).locks?.request(NAME, work) ?? work(),
  };
}
