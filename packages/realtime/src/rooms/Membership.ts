import type { Connection, JsonObject, Session } from '@millrace/kernel';
import type { Channel } from './Channel.js';
import type { SubscriptionCharge } from './KeptBytes.js';
import type { Room } from './Room.js';

/** One channel that a connection holds, and the token it rests on. */
export interface Subscription {
  readonly membership: Membership;
  readonly channel: Channel;
  /** The right it was made by. */
  readonly action: 'subscribe' | 'join';
  /** Null where it was made without a token. A later token of the same user takes the place of an older one. */
  session: Session | null;
  /** Counted by `SubscriptionBudget` until it ends. */
  readonly charge: SubscriptionCharge;
}

/** A connection in a room. */
export interface Membership {
  readonly connection: Connection;
  readonly room: Room;
  /** Of the request that brought the connection into the room: it goes with both of its user events. */
  readonly metadata: JsonObject;
  readonly subscriptions: Map<string, Subscription>;
}
