import type { Request } from '@millrace/kernel';
import { actsAsAdministrator } from './keys/limitUser.js';

/** The author of a change. */
export interface Actor {
  readonly userId: string;
  /** The token used for the change. */
  readonly tokenId: string | null;
  /** Client address, for rate limits. */
  readonly remoteAddress: string;
  /** False for an API key with policies, whoever owns it. */
  readonly isAdministrator: boolean;
  readonly usesApiKey: boolean;
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
    usesApiKey: session?.apiKeyId !== undefined,
    signal,
  };
}
