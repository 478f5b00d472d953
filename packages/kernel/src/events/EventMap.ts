import type { Connection } from '../contracts/protocol/Protocol.js';
import type { Request } from '../request/Request.js';
import type { Response } from '../request/Response.js';

/**
 * Events by name, with what a hook receives. Packages and plugins add their own by declaration merging:
 * `declare module '@millrace/kernel' { interface EventMap { 'mine.happened': { … } } }`
 */
export interface EventMap {
  /** A request was accepted for running (not yet authenticated). */
  'request.started': { readonly request: Request };
  /** A request was answered, well or badly. */
  'request.ended': { readonly request: Request; readonly response: Response };
  /** A lasting connection opened or closed. HTTP has none. */
  'connection.opened': { readonly connection: Connection };
  'connection.closed': { readonly connection: Connection };
  /** Every entrypoint listens. */
  'server.started': Readonly<Record<never, never>>;
  /** The server begins to stop. */
  'server.stopping': Readonly<Record<never, never>>;
}

/** The name of an event. */
export type EventName = keyof EventMap;
