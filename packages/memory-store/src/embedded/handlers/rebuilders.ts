import type { Handlers } from './Handlers.js';
import { hashWriters } from './hashHandlers.js';
import { listWriters } from './listHandlers.js';
import { setWriters } from './setHandlers.js';
import { sortedSetWriters } from './sortedSetHandlers.js';
import { streamWriters } from './streamHandlers.js';
import { stringWriters } from './stringHandlers.js';

/** The handlers of the commands that rebuild keys. */
export const rebuilders: Handlers = {
  ...stringWriters,
  ...listWriters,
  ...setWriters,
  ...hashWriters,
  ...sortedSetWriters,
  ...streamWriters,
};
