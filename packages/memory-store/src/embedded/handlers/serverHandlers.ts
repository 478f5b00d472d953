import type { Handlers } from './Handlers.js';

/** Commands on the store as a whole that need only the keys. */
export const serverReaders: Handlers = {
  PING: () => 'PONG',
  DBSIZE: (db) => db.size,
  TIME: (db) => {
    const nowMs = db.nowMs;
    return [String(Math.floor(nowMs / 1000)), String((nowMs % 1000) * 1000)];
  },
  // The embedded engine has no subscribers and no replicas.
  PUBLISH: () => 0,
  WAIT: () => 0,
};

/** FLUSHDB. */
export const serverWriters: Handlers = {
  FLUSHDB: (db) => {
    db.clear();
    return 'OK';
  },
};
