/*
 * Reading what other nodes say. It came through Redis, so its form is checked before anything rests on it; what hasn't the
 * form is an error, which the link counts and drops.
 */
import {
  isJsonObject,
  type ChangeOrigin,
  type CollectionName,
  type DocumentChange,
  type JsonObject,
  type PendingChange,
} from '@millrace/kernel';
import type { RemoteMember, RoomNews } from './RemoteRooms.js';

/** A member that came, went or changed its channels. */
export interface MemberNews extends RoomNews {
  readonly member: RemoteMember;
  readonly isThere: boolean;
  readonly requestId: string;
}

/** All members of one room on one node. */
export interface HeldRoom extends RoomNews {
  readonly members: readonly RemoteMember[];
}

/** A published message. */
export interface SharedMessage {
  /** When it was published, UTC milliseconds. */
  readonly atMs: number;
  readonly id: string | undefined;
  readonly message: JsonObject;
  readonly origin: ChangeOrigin;
}

/** Of a collection, as the key of messages about it: names hold no slash. */
export function toKey({ index, collection }: CollectionName): string {
  return `${index}/${collection}`;
}

/** @throws for a key that names none */
export function readName(key: string): CollectionName {
  const [index = '', collection = '', ...more] = key.split('/');
  if (index === '' || collection === '' || more.length > 0) throw malformed('a collection');
  return { index, collection };
}

/** A change, and when it was committed. */
export interface Timed<T> {
  readonly change: T;
  /** UTC milliseconds. */
  readonly atMs: number;
}

/** @throws for what is no change */
export function readChange(name: CollectionName, body: string): Timed<DocumentChange> {
  const { id, version, sequence, before, after, origin, atMs } = readObject(body);
  const isChange = typeof id === 'string' && typeof version === 'number' && isDocument(before);
  if (!isChange || !isDocument(after) || typeof sequence !== 'number') throw malformed('a change');
  const change = { ...name, id, version, sequence, before, after, origin: readOrigin(origin) };
  return { change, atMs: readTime(atMs) };
}

/** @throws for what is no pending change */
export function readPending(name: CollectionName, body: string): Timed<PendingChange> {
  const { id, kind, source, origin, atMs } = readObject(body);
  const isKind = kind === 'create' || kind === 'delete';
  if (typeof id !== 'string' || !isKind || !isJsonObject(source)) throw malformed('a change');
  return {
    change: { ...name, id, kind, source, origin: readOrigin(origin) },
    atMs: readTime(atMs),
  };
}

/** @throws for what is no published message */
export function readMessage(body: string): SharedMessage {
  const { id, message, origin, atMs } = readObject(body);
  if ((id !== null && typeof id !== 'string') || !isJsonObject(message)) throw malformed('a message');
  return { id: id ?? undefined, message, origin: readOrigin(origin), atMs: readTime(atMs) };
} // prettier-ignore

/** @throws for what is no news of a member */
export function readMember(roomId: string, body: string): MemberNews {
  const read = readObject(body);
  const { isThere, requestId } = read;
  if (typeof isThere !== 'boolean' || typeof requestId !== 'string') throw malformed('a member');
  return { ...readRoom({ ...read, id: roomId }), member: toMember(read['member']), isThere, requestId };
} // prettier-ignore

/** @throws for what is no list of rooms */
export function readHeld(body: string): readonly HeldRoom[] {
  const { rooms } = readObject(body);
  if (!Array.isArray(rooms)) throw malformed('a list of rooms');
  return rooms.map((each: unknown): HeldRoom => {
    if (!isJsonObject(each) || !Array.isArray(each['members'])) throw malformed('a room');
    return { ...readRoom(each), members: each['members'].map(toMember) };
  });
}

function readRoom({ id, index, collection, filter, wantsPending }: JsonObject): RoomNews {
  const isNamed = typeof index === 'string' && typeof collection === 'string';
  if (typeof id !== 'string' || !isNamed || !isDocument(filter)) throw malformed('a room');
  return { id, index, collection, filter, wantsPending: wantsPending === true };
}

function toMember(value: unknown): RemoteMember {
  if (!isJsonObject(value)) throw malformed('a member');
  const { id, metadata } = value;
  if (typeof id !== 'string' || !isJsonObject(metadata)) throw malformed('a member');
  return { id, metadata };
}

function readTime(value: unknown): number {
  if (typeof value !== 'number') throw malformed('a time');
  return value;
}

function readOrigin(value: unknown): ChangeOrigin {
  if (!isJsonObject(value)) throw malformed('an origin');
  const { requestId, metadata } = value;
  if (typeof requestId !== 'string' || !isJsonObject(metadata)) throw malformed('an origin');
  return { requestId, metadata };
}

function readObject(body: string): JsonObject {
  const value: unknown = JSON.parse(body);
  if (!isJsonObject(value)) throw malformed('an object');
  return value;
}

function isDocument(value: unknown): value is JsonObject | null {
  return value === null || isJsonObject(value);
}

function malformed(expected: string): Error {
  return new Error(`malformed message of another node: expected ${expected}`);
}
