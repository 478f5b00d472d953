import type { Collection } from './collection/Collection.js';
import type { FollowClient, FollowCollection } from './follow/index.js';
import type { MillraceClient } from './MillraceClient.js';
import type { OfflineClient, OfflineFeature } from './offline/index.js';
import type { RealtimeClient, RealtimeCollection } from './realtime/index.js';

/** What extensions add to a client, by their names. Other packages add theirs by declaration merging. */
export interface ClientFeatures {
  readonly realtime: RealtimeClient;
  readonly offline: OfflineClient;
  readonly follow: FollowClient;
}

/** What extensions add to a collection with documents of type `T`. */
export interface CollectionFeatures<T> {
  readonly realtime: RealtimeCollection<T>;
  readonly offline: OfflineFeature<T>;
  readonly follow: FollowCollection<T>;
}

/** The name of an extension. */
export type FeatureName = keyof ClientFeatures;

type Intersection<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer I) => void ? I : never;

/** The members that a client has with the extensions `F`. */
export type WithClientFeatures<F extends FeatureName> = Intersection<ClientFeatures[F]>;

/** The members that a collection has with the extensions `F`. */
export type WithCollectionFeatures<T, F extends FeatureName> = Intersection<
  F extends keyof CollectionFeatures<T> ? CollectionFeatures<T>[F] : unknown
>;

/**
 * A part of the client that is loaded only by applications that use it: `createClient(url).with(realtime())`.
 */
export interface Extension<F extends FeatureName> {
  readonly name: F;
  /**
   * Called once, by `with`. May replace `client.transport`.
   * @returns members to add to the client
   */
  extendClient(client: MillraceClient): ClientFeatures[F];
  /** Called for each collection object. @returns members to add to it */
  extendCollection?(collection: Collection<unknown>): object;
}
