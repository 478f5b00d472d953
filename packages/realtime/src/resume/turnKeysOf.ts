import { toAddressKey, type Connection, type Session, type TurnKeys } from '@millrace/kernel';

/** Whose turn the work of a poll or a resume is. */
export function turnKeysOf({ id, remoteAddress, user }: Connection, session: Session | null): TurnKeys {
  return [toAddressKey(remoteAddress), session?.userId ?? user?._id ?? '', id];
}
