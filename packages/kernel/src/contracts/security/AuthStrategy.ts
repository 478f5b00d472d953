import type { JsonObject } from '../../json/Json.js';
import type { MaybePromise } from '../storage/StorageEngine.js';

/**
 * A way to log in, brought by a plugin through `host.strategy`.
 * Called by the auth controller at `login` with `strategy` = `name`; calls for different requests may overlap. The host
 * limits a call to 5 s (a later answer is ignored) and may call again for a retried login. A throw fails that login
 * alone: a registered error as it is, anything else as `core.plugin_failed`.
 */
export interface AuthStrategy {
  readonly name: string;
  /** @returns the user's identifier, or null for wrong credentials (401, the same message for every cause) */
  verify(credentials: JsonObject): MaybePromise<{ readonly userId: string } | null>;
}
