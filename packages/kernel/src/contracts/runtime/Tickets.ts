import type { JsonObject } from '../../json/Json.js';
import type { MaybePromise } from '../../concurrency/MaybePromise.js';

/**
 * Small values with an expiry that travel with the client, such as the state of a login that continues at a provider.
 * The ticket contains the value, encrypted and authenticated, so issuing tickets uses no memory, and a flood of them
 * can't evict others. A plugin gets its tickets from its host (`PluginHost.tickets`). In a cluster every node can open
 * the tickets of every living node; the tickets of a node are lost when it stops.
 */
export interface Tickets {
  /**
   * Issues a ticket: letters, digits, `-`, `_`; its length is about 4/3 of the value's JSON plus 100 characters.
   * @param value at most 16 KiB as JSON; the caller ensures this
   */
  issue(value: JsonObject, lifeMs: number): string;
  /** @returns the value; null if the ticket is unknown, expired or redeemed */
  read(ticket: string): MaybePromise<JsonObject | null>;
  /** As `read`, but only once: of several calls, even on several nodes, exactly one gets the value. */
  redeem(ticket: string): MaybePromise<JsonObject | null>;
}
