import type { InjectionToken } from 'tsyringe';

/** Tells `collection.list` which collections have subscriptions now. The realtime service provides it. */
export interface RealtimeCollections {
  /** Names of the collections of an index that someone is subscribed to; in any order, stored ones included. */
  namesIn(index: string): readonly string[];
}

/** Where nothing is registered there are no subscriptions: `NO_SUBSCRIPTIONS`. */
export const REALTIME_COLLECTIONS: InjectionToken<RealtimeCollections> =
  Symbol('RealtimeCollections');

/** A server without a realtime service. */
export const NO_SUBSCRIPTIONS: RealtimeCollections = { namesIn: () => [] };
