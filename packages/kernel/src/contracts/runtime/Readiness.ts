/**
 * Whether the server can take requests, in one word: `ready`, or the reason why not. `storage`: the storage engine
 * doesn't answer. `cluster`: the node may have missed changes of other nodes (`NodeLink.isCurrent`).
 */
export type ReadyState = 'ready' | 'starting' | 'stopping' | 'storage' | 'cluster';

/** The state of the server for the health pages of HTTP. */
export interface Readiness {
  /** Whether every entrypoint has been listening. Stays true while the server stops. */
  readonly hasStarted: boolean;
  /** Never rejects. Asks the storage engine once a second at most, however often it is called. */
  check(): Promise<ReadyState>;
}
