import type { JsonObject } from '../../json/Json.js';
import type { MaybePromise } from '../storage/StorageEngine.js';

/**
 * Small values with an end, such as the states of logins that go on at a provider. A plugin gets one from its host
 * (`PluginHost.expiringStore`): in memory where there is one node, and within reach of every node where there are several,
 * so that a login may end on another node than it began on.
 */
export interface ExpiringStore {
  /** A new key that nobody can guess, fit for addresses: letters, digits, `-`, `_`; at most 128. Says where its value is kept. */
  newKey(): string;
  /** Keeps a value for so long. @returns false where the key is there already: nothing is changed then */
  add(key: string, value: JsonObject, lifeMs: number): MaybePromise<boolean>;
  /** @returns null where it is absent or over */
  read(key: string): MaybePromise<JsonObject | null>;
  /** Takes a value out: of several calls at once, exactly one gets it. @returns null where it is absent or over */
  take(key: string): MaybePromise<JsonObject | null>;
}
