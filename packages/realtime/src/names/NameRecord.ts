import { createHash } from 'node:crypto';
import type { Cursor, JsonObject } from '@millrace/kernel';
import type { ChannelOptions } from '../rooms/ChannelOptions.js';

/** Whose a name is. Those of API keys are separate: a key may have fewer rights than its owner. */
export interface NameOwner {
  readonly user: string;
  /** See `User.suid`. */
  readonly suid?: string;
  /** Absent: the user's own, whatever the token. */
  readonly apiKeyId?: string;
}

/** A named subscription, as it is stored. */
export interface NameRecord extends NameOwner {
  readonly name: string;
  readonly index: string;
  readonly collection: string;
  /** As sent by the client. */
  readonly filter: JsonObject;
  readonly options: ChannelOptions;
  /** The channel of this filter and these options. */
  readonly channel: string;
  /** The acknowledged position; null: the client has not acknowledged any. */
  readonly cursor: Cursor | null;
  /** Of the last subscription or stored acknowledgement, UTC milliseconds. */
  readonly usedAt: number;
}

/** Document id, and holder of the pin. Neither a user id nor a name contains NUL. */
export function nameKey({ user, apiKeyId }: NameOwner, name: string): string {
  const owner = apiKeyId === undefined ? user : `${user}\0${apiKeyId}`;
  return createHash('sha256').update(`${owner}\0${name}`).digest('base64url');
}

/** Whether a name was left by a former user with the same `_id`. Names stored by earlier versions have no `suid`. */
export function isOfFormerUser(record: NameRecord, { suid }: NameOwner): boolean {
  return record.suid !== undefined && suid !== undefined && record.suid !== suid;
}

/** A named subscription as its user sees it. */
export function toListed({ options, user: _, suid: __, ...record }: NameRecord): JsonObject {
  return { ...record, ...options };
}
