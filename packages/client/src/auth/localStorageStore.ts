import type { TokenStore } from './TokenStore.js';

/**
 * Keeps the token in `localStorage`: all tabs of an origin share one session, and one of them renews it for all. Every
 * script of the page can read it.
 * @param key default `millrace.token`
 */
export function localStorageStore(key = 'millrace.token'): TokenStore {
  return {
    get: () => localStorage.getItem(key),
    set: (token) => {
      if (token === null) localStorage.removeItem(key);
      else localStorage.setItem(key, token);
    },
    onChange: (listener) => {
      const onStorage = (event: StorageEvent) => {
        // A null key: the whole storage was cleared.
        if (event.key === key || event.key === null) listener();
      };
      addEventListener('storage', onStorage);
      return () => removeEventListener('storage', onStorage);
    },
    // Without locks (pages over plain HTTP), the tab that renews second finds the first one's token.
    exclusive: async (work) => navigator.locks?.request(key, work) ?? work(),
  };
}
