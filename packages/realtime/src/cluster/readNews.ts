/* Parses messages of other nodes about documents, published messages and rooms. */
import {
  isJsonObject,
  malformedMessage,
  readNodeMessage,
  toCollectionName,
  type ChangeOrigin,
  type CollectionName,
  type DocumentChange,
  type DocumentMetadata,
  type JsonObject,
  type PendingChange,
} from '@millrace/kernel';
import type { MemberPresence } from '../rooms/MemberPresence.js';
import type { RemoteMember, RoomNews } from '../rooms/RemoteRooms.js';

/** A member that joined, left or changed its channels. */
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
  /** Time of publication, UTC milliseconds. */
  readonly atMs: number;
  readonly id: string | undefined;
  readonly message: JsonObject;
  readonly origin: ChangeOrigin;
}

/** A change, and the time of its commit. */
export interface Timed<T> {
  readonly change: T;
  /** UTC milliseconds. */
  readonly atMs: number;
}

/** @throws for invalid changes */
export function readChange(name: CollectionName, body: string): Timed<DocumentChange> {
  const read = readNodeMessage(body);
  const { id, version, sequence, before, after, origin, atMs } = read;
  const isChange = typeof id === 'string' && typeof version === 'number' && isDocument(before);
  if (!isChange || !isDocument(after) || typeof sequence !== 'number') throw malformedMessage('a change');
  const change = {
    ...name,
    id,
    version,
    sequence,
    before,
    after,
    metaBefore: before && readMetadata(read['metaBefore']),
    metaAfter: after && readMetadata(read['metaAfter']),
    origin: readOrigin(origin),
  };
  return { change, atMs: readTime(atMs) };
}

/** @throws for invalid pending changes */
export function readPending(name: CollectionName, body: string): Timed<PendingChange> {
  const { id, kind, source, meta, origin, atMs } = readNodeMessage(body);
  const isKind = kind === 'create' || kind === 'delete';
  if (typeof id !== 'string' || !isKind || !isJsonObject(source)) throw malformedMessage('a change');
  return {
    change: { ...name, id, kind, source, meta: readMetadata(meta), origin: readOrigin(origin) },
    atMs: readTime(atMs),
  };
}

/** @throws for invalid published messages */
export function readMessage(body: string): SharedMessage {
  const { id, message, origin, atMs } = readNodeMessage(body);
  if ((id !== null && typeof id !== 'string') || !isJsonObject(message)) throw malformedMessage('a message');
  return { id: id ?? undefined, message, origin: readOrigin(origin), atMs: readTime(atMs) };
} // prettier-ignore

/** @throws for invalid member announcements */
export function readMember(roomId: string, body: string): MemberNews {
  const read = readNodeMessage(body);
  const { isThere, requestId } = read;
  if (typeof isThere !== 'boolean' || typeof requestId !== 'string') throw malformedMessage('a member');
  return { ...readRoom({ ...read, id: roomId }), member: toMember(read['member']), isThere, requestId };
} // prettier-ignore

/** @throws for invalid lists of rooms */
export function readHeld(body: string): readonly HeldRoom[] {
  const { rooms } = readNodeMessage(body);
  if (!Array.isArray(rooms)) throw malformedMessage('a list of rooms');
  return rooms.map((each: unknown): HeldRoom => {
    if (!isJsonObject(each) || !Array.isArray(each['members'])) throw malformedMessage('a room');
    return { ...readRoom(each), members: each['members'].map(toMember) };
  });
}

function readRoom({ id, index, collection, filter, rightId, wantsPending }: JsonObject): RoomNews {
  const isNamed = typeof index === 'string' && typeof collection === 'string';
  if (typeof id !== 'string' || !isNamed || !isDocument(filter)) throw malformedMessage('a room');
  return {
    id,
    ...toCollectionName(index, collection),
    filter,
    // Absent from nodes of a version whose rooms have the right to all documents.
    rightId: typeof rightId === 'string' ? rightId : '',
    wantsPending: wantsPending === true,
  };
}

function toMember(value: unknown): RemoteMember {
  if (!isJsonObject(value)) throw malformedMessage('a member');
  const { id, metadata, presence } = value;
  if (typeof id !== 'string' || !isJsonObject(metadata)) throw malformedMessage('a member');
  return { id, metadata, presence: readPresence(presence) };
}

/** Absent from nodes of a version without presence. */
function readPresence(value: unknown): MemberPresence | null {
  if (!isJsonObject(value)) return null;
  const { userId, presence, since } = value;
  if (typeof userId !== 'string' || !isJsonObject(presence)) throw malformedMessage('a member');
  return { userId, presence, since: readTime(since) };
}

function readTime(value: unknown): number {
  if (typeof value !== 'number') throw malformedMessage('a time');
  return value;
}

function readOrigin(value: unknown): ChangeOrigin {
  if (!isJsonObject(value)) throw malformedMessage('an origin');
  const { requestId, metadata } = value;
  if (typeof requestId !== 'string' || !isJsonObject(metadata)) throw malformedMessage('an origin');
  return { requestId, metadata };
}

/** Absent from nodes of a version without metadata. */
function readMetadata(value: unknown): DocumentMetadata {
  const read = isJsonObject(value) ? value : {};
  const { createdAt, updatedAt, author, updater } = read;
  return {
    createdAt: typeof createdAt === 'number' ? createdAt : null,
    updatedAt: typeof updatedAt === 'number' ? updatedAt : null,
    author: typeof author === 'string' ? author : null,
    updater: typeof updater === 'string' ? updater : null,
  };
}

function isDocument(value: unknown): value is JsonObject | null {
  return value === null || isJsonObject(value);
}
