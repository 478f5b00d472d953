import type { Request } from '@millrace/kernel';

/** Who changes something. */
export interface Actor {
  readonly userId: string;
  /** The token that the change was made with. */
  readonly tokenId: string | null;
}

/** Who makes a request. */
export function actorOf({ user, session }: Request): Actor {
  return { userId: user._id, tokenId: session?.tokenId ?? null };
}
