/** What `realtime()` adds to a client. */
export type RealtimeClient = object;

/** What `realtime()` adds to a collection. */
export interface RealtimeCollection<T> {
  /** Type of the documents. */
  readonly documentType?: T;
}
