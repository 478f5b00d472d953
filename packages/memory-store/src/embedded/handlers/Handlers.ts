import type { Keyspace } from '../Keyspace.js';
import type { Handler } from '../Reply.js';

/** Handlers by the name of their command, in capitals. */
export type Handlers = Readonly<Record<string, Handler<Keyspace>>>;
