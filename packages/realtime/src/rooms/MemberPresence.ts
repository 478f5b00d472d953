import type { Argument, JsonObject } from '@millrace/kernel';
import { jsonArgument } from '../jsonArgument.js';

const MAX_BYTES = 1_024;

/** What a member of a room lets others know about itself (PROTO-75). */
export interface MemberPresence {
  readonly userId: string;
  /** As sent by the member. */
  readonly presence: JsonObject;
  /** When its connection came into the room, UTC milliseconds. */
  readonly since: number;
}

/** The argument of a member that wants to be seen. */
export function presenceArgument(): Argument<JsonObject> {
  return jsonArgument(`a JSON object of at most ${MAX_BYTES} bytes`, MAX_BYTES);
}

/** The fields of a member that wants to be seen, for user events and for other nodes; none for others. */
export function presenceFields(presence: MemberPresence | null): JsonObject {
  return presence === null ? {} : { ...presence };
}
