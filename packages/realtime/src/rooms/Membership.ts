import type { Connection, Cursor, JsonObject, Session } from '@millrace/kernel';
import type { Channel } from './Channel.js';
import type { SubscriptionCharge } from './KeptBytes.js';
import type { MemberPresence } from './MemberPresence.js';
import type { Room } from './Room.js';

/** One channel of a connection, and the token used for it. */
export interface Subscription {
  readonly membership: Membership;
  readonly channel: Channel;
  /** The action, and so the right, that created it. */
  readonly action: 'subscribe' | 'join' | 'follow';
  /** Null if created without a token. A later token of the same user replaces an older one. */
  session: Session | null;
  /** Counted by `SubscriptionBudget` until it ends. */
  readonly charge: SubscriptionCharge;
  /** Its changes after this position are notified. Absent until it is known, and without a change log. */
  since?: Cursor;
  /** `sentCount` of the channel when it joined it; undefined while it isn't live. */
  joinedAt?: number | undefined;
}

/** A connection in a room. */
export interface Membership {
  readonly connection: Connection;
  readonly room: Room;
  /** From the request that added the connection to the room; sent with both of its user events. */
  readonly metadata: JsonObject;
  /** From the same request; null if the member doesn't want to be seen. */
  readonly presence: MemberPresence | null;
  readonly subscriptions: Map<string, Subscription>;
}
