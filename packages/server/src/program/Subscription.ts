/** A subscription of the embedding program, created by `kernel.subscribe`. */
export interface Subscription {
  /** The room shared by all subscriptions with the same filter on the same collection. */
  readonly roomId: string;
  readonly channel: string;
  /**
   * Ends the subscription: the listener is not called again. Further calls, or a call after `kernel.stop`, have no
   * effect.
   */
  readonly unsubscribe: () => void;
}
