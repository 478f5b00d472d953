import type { JsonObject } from '../../json/Json.js';
import type { MaybePromise } from '../storage/StorageEngine.js';

/**
 * Small values with an expiry that travel with the client, such as the state of a login that continues at a provider. The
 * value is inside the ticket, encrypted and authenticated, so issuing tickets fills no memory and no flood of them can
 * push others out. A plugin gets its tickets from its host (`PluginHost.tickets`). In a cluster every node can open the
 * tickets of every living node; those of a node that has stopped are lost with it.
 */
export interface Tickets {
  /**
   * Makes a ticket: letters, digits, `-`, `_`; about 4/3 of the value's JSON and 100 characters.
   * @param value kept small by the caller: at most 16 KiB as JSON
   */
  issue(value: JsonObject, lifeMs: number): string;
  /** @returns the value; null where the ticket is unknown, expired or redeemed */
  read(ticket: string): MaybePromise<JsonObject | null>;
  /** As `read`, once: of several calls, also on several nodes, exactly one gets the value. */
  redeem(ticket: string): MaybePromise<JsonObject | null>;
}
