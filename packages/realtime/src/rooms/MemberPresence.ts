import { custom, isJsonObject, type Argument, type JsonObject } from '@millrace/kernel';

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
  const schema = { type: 'object', description: `At most ${MAX_BYTES} bytes of JSON.` };
  return custom(`a JSON object of at most ${MAX_BYTES} bytes`, schema, (value) => {
    if (!isJsonObject(value)) return undefined;
    return Buffer.byteLength(JSON.stringify(value)) > MAX_BYTES ? undefined : value;
  });
}

/** The fields of a member that wants to be seen, for user events and for other nodes; none for others. */
export function presenceFields(presence: MemberPresence | null): JsonObject {
  return presence === null ? {} : { ...presence };
}
