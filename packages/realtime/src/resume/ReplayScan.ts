/*
 * The changes that one reading of the change log has found, tested against the filters and queries of all
 * subscriptions that wait for them. Each change is tested once for all of them. Equal filters share their list.
 */
import {
  ofRoom,
  type CollectionName,
  type Cursor,
  type DocumentImage,
  type GapReason,
  type LoggedChange,
  type LoggedWipe,
  type NetChange,
  type TurnKeys,
} from '@millrace/kernel';
import type { Delivery } from '../Delivery.js';
import { markCursor } from '../rights/markCursor.js';
import type { Channel } from '../rooms/Channel.js';
import type { Room } from '../rooms/Room.js';
import type { RoomTests } from '../matching/RoomTests.js';
import { toNotification, type VisibleChange } from '../toNotification.js';
import type { Pacer } from '../Pacer.js';

/** A change as the log returns it. */
export type ReplayedChange = LoggedChange | LoggedWipe | NetChange;

/** Characters of all envelopes together. Rights that show different fields have separate ones. */
const MAX_CHARS = 64 * 2 ** 20;

/** A notification of one change. Its document is no longer kept: parsed it would take much more than its text. */
interface Notice {
  readonly cursor: Cursor;
  /** Of a net change of several positions. */
  readonly within: NetChange['within'];
  readonly scope: 'in' | 'out';
  readonly envelope: string;
  /** Whether its rooms rest on rights to a part of the documents: each adds its own cursor. */
  readonly isMarked: boolean;
}

/** Finds the notifications of several subscriptions of one collection. */
export class ReplayScan {
  private readonly lines = new Map<string, Notice[]>();
  /** Position of the last removal of all documents. */
  private wipedAt: Cursor = '';
  /** Position of the last change that was not matched against all patterns. */
  private unsearchedAt: Cursor = '';
  private chars = 0;

  constructor(
    private readonly name: CollectionName,
    /** Everything up to this position has been read. */
    readonly head: Cursor,
    private readonly delivery: Delivery,
    private readonly pacer: Pacer,
    /** Whose turn the work is. */
    private readonly keys: TurnKeys,
  ) {}

  /** Tests the changes, oldest first, against the filters of the rooms. */
  async test(rooms: Iterable<Room>, changes: Iterable<ReplayedChange>, tests: RoomTests): Promise<void> {
    const { pacer, keys } = this;
    for (const { id, filter, right } of rooms) {
      if (pacer.isOver) await pacer.turn(keys);
      if (this.lines.has(id)) continue;
      const mapping = await tests.mappingFor(this.name, filter, right);
      tests.register(this.name, { filter, right, mapping });
      this.lines.set(id, []);
    }
    for (const change of changes) {
      if (pacer.isOver) await pacer.turn(keys);
      if (isWipe(change)) this.wipedAt = change.cursor;
      else if (!isSilent(change)) await this.testOne(change, tests);
      if (this.chars > MAX_CHARS) return;
    }
  }

  /** Why a subscription can't be resumed from this scan; undefined: it can. */
  gapAfter({ room }: Channel, cursor: Cursor): GapReason | undefined {
    if (cursor < this.wipedAt) return 'wiped';
    if (this.chars > MAX_CHARS) return 'too_much';
    return cursor < this.unsearchedAt && room.hasPatterns ? 'too_much' : undefined;
  }

  /** The number of notifications of a channel after a position. */
  count(channel: Channel, after: Cursor): number {
    let count = 0;
    for (const notice of this.linesOf(channel)) if (isFor(channel, after, notice)) count++;
    return count;
  }

  /** The notifications of a channel after a position, in order. */
  *envelopes(channel: Channel, after: Cursor): Iterable<string> {
    const { id, rightId } = channel.room;
    for (const notice of this.linesOf(channel)) {
      if (!isFor(channel, after, notice)) continue;
      const { envelope, cursor, isMarked } = notice;
      yield ofRoom(envelope, id, isMarked ? markCursor(cursor, rightId) : undefined);
    }
  }

  private linesOf({ room }: Channel): readonly Notice[] {
    return this.lines.get(room.id) ?? [];
  }

  private async testOne(change: LoggedChange | NetChange, tests: RoomTests): Promise<void> {
    const { pacer, keys } = this;
    const { id, atMs } = change;
    // Parsed once, and only for the time of the test. A document of a mebibyte takes a slice for each step.
    const before = change.before && read(change.before);
    if (pacer.isOver) await pacer.turn(keys);
    const after = change.after && read(change.after);
    if (pacer.isOver) await pacer.turn(keys);
    const { entered, stayed, left, limited } = tests.testChange(this.name, id, before, after, atMs);
    if (tests.isIncomplete(this.name)) this.unsearchedAt = change.cursor;
    if (pacer.isOver) await pacer.turn(keys);
    this.add([...entered, ...stayed], change, { scope: 'in', shown: after?.source ?? null });
    this.add(left, change, { scope: 'out', shown: null });
    for (const each of limited) this.add(each.roomIds, change, each, true);
  }

  private add(
    roomIds: readonly string[],
    change: LoggedChange | NetChange,
    visible: VisibleChange,
    isLimited = false,
  ): void {
    if (roomIds.length === 0) return;
    const envelope = this.encode(change, visible, isLimited);
    this.chars += envelope.length;
    const { cursor } = change;
    const { scope } = visible;
    const within = isEvent(change) ? undefined : change.within;
    const isMarked = isLimited && isEvent(change);
    const notice: Notice = { cursor, within, scope, envelope, isMarked };
    for (const roomId of roomIds) this.lines.get(roomId)?.push(notice);
  }

  private encode(change: LoggedChange | NetChange, visible: VisibleChange, isLimited: boolean): string {
    const { id, before, after, atMs } = change;
    const { version, meta } = (after ?? before) as DocumentImage;
    const origin = isEvent(change) ? change.origin : null;
    const cursor = isEvent(change) && !isLimited ? change.cursor : undefined;
    const notified = { id, before, after, version, meta, origin, cursor, isReplayed: true };
    return this.delivery.envelope(toNotification(this.name, notified, visible), atMs);
  }
}

/** Whether the channel has missed a notification after a position. */
function isFor(channel: Channel, after: Cursor, { cursor, within, scope }: Notice): boolean {
  const isMissed = within === undefined ? cursor > after : within.from <= after && after < within.to;
  return isMissed && channel.receivesDocument('done', scope);
}

function read({ source, meta, version }: DocumentImage): DocumentImage {
  return { source, meta, version };
}

/** Only all effects together lead to the head, so none of them has a cursor (RESUME-12). */
function isEvent(change: LoggedChange | NetChange): change is LoggedChange {
  return 'origin' in change;
}

function isWipe(change: ReplayedChange): change is LoggedWipe {
  return 'kind' in change && change.kind === 'wiped';
}

function isSilent(change: LoggedChange | NetChange): boolean {
  return 'isSilent' in change && change.isSilent;
}
