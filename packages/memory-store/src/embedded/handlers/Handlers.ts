import type { Keyspace } from '../Keyspace.js';
import type { Handler } from '../Reply.js';

/** Handlers by command name, in capitals. */
export type Handlers = Readonly<Record<string, Handler<Keyspace>>>;
