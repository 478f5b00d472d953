import type { Request } from '@millrace/kernel';
import { isAdministrator } from './users/UserRecord.js';

/** Who changes something. */
export interface Actor {
  readonly userId: string;
  /** The token that the change was made with. */
  readonly tokenId: string | null;
  /** The address of the client, for limits. */
  readonly remoteAddress: string;
  readonly isAdministrator: boolean;
  /** Aborted when the client has left. */
  readonly signal?: AbortSignal;
}

/** Who makes a request. */
export function actorOf({ user, session, connection, signal }: Request): Actor {
  return {
    userId: user._id,
    tokenId: session?.tokenId ?? null,
    remoteAddress: connection.remoteAddress,
    isAdministrator: isAdministrator(user),
    signal,
  };
}
