import type { PresenceList } from './Subscription.js';

/** What subscriptions need of the server's actions. */
export interface RealtimeActions {
  presence(fields: { readonly roomId: string }): Promise<PresenceList>;
  ack(fields: { readonly name: string; readonly cursor: string }): Promise<unknown>;
}
