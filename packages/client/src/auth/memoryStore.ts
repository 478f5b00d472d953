import type { TokenStore } from './TokenStore.js';

/** Keeps the token in memory: it is gone after a reload. The default. */
export function memoryStore(token: string | null = null): TokenStore {
  let kept = token;
  return {
    get: () => kept,
    set: (next) => {
      kept = next;
    },
  };
}
