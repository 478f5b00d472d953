import type { Request } from '@millrace/kernel';
import { actsAsAdministrator, limitsOf } from './rights/limitUser.js';
import type { Policy } from './rights/Policy.js';

/** The author of a change. */
export interface Actor {
  readonly userId: string;
  /** The token used for the change. */
  readonly tokenId: string | null;
  /** Client address, for rate limits. */
  readonly remoteAddress: string;
  /** False for an API key with policies, whoever owns it. */
  readonly isAdministrator: boolean;
  /** The API key of the request: the profiles of its owner and its policies, null without any. Null: none is used. */
  readonly key: {
    readonly profileIds: readonly string[];
    readonly policies: readonly Policy[] | null;
  } | null;
  /** Aborted when the client disconnects. */
  readonly signal?: AbortSignal;
}

/** The author of a request. */
export function actorOf({ user, session, connection, signal }: Request): Actor {
  return {
    userId: user._id,
    tokenId: session?.tokenId ?? null,
    remoteAddress: connection.remoteAddress,
    isAdministrator: actsAsAdministrator(user),
    key: session?.apiKeyId === undefined ? null : { profileIds: user.profileIds, policies: limitsOf(user) },
    signal,
  };
}
