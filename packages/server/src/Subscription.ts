/** A subscription of the program that the server runs in; made by `kernel.subscribe`. */
export interface Subscription {
  /** The room of everybody with the same filter on the same collection. */
  readonly roomId: string;
  readonly channel: string;
  /** Ends it: the listener is not called again. Calling it twice, or after `kernel.stop`, does nothing. */
  readonly unsubscribe: () => void;
}
