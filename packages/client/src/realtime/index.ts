export {
  realtime,
  type RealtimeClient,
  type RealtimeCollection,
  type RealtimeConnection,
  type RealtimeOptions,
} from './realtime.js';
export type { ConnectionState } from './Connection.js';
export type { Fallback, FallbackContext } from './Fallback.js';
export type {
  DocumentChanged,
  DocumentLeft,
  EventOrigin,
  Gap,
  MessageReceived,
  RealtimeEvent,
  UsersChanged,
} from './RealtimeEvent.js';
export type { SocketClass, SocketLike } from './SocketLike.js';
export type { PresenceList, PresentUser, SubscribeOptions, Subscription, SubscriptionStatus } from './Subscription.js';
