/*
 * The changes that one reading of the change log has found, tested against the filters and queries of all
 * subscriptions that wait for them. Each change is tested once for all of them. Equal filters share their list.
 */
import type {
  CollectionName,
  Cursor,
  DocumentImage,
  GapReason,
  LoggedChange,
  LoggedWipe,
  NetChange,
} from '@millrace/kernel';
import type { Delivery } from '../Delivery.js';
import { ofRoom } from '../Notification.js';
import { markCursor } from '../rights/markCursor.js';
import type { Channel } from '../rooms/Channel.js';
import type { Room } from '../rooms/Room.js';
import type { RoomTests } from '../matching/RoomTests.js';
import { toNotification, type VisibleChange } from '../toNotification.js';
import type { Pacer } from './Pacer.js';

/** A change as the log returns it. */
export type ReplayedChange = LoggedChange | LoggedWipe | NetChange;

/** What `ReplayScan` needs. */
export interface ScanParts {
  readonly delivery: Delivery;
  readonly pacer: Pacer;
  readonly tests: RoomTests;
}

/** A notification of one change, encoded on first use. */
class Notice {
  private encoded: string | undefined;

  constructor(
    private readonly name: CollectionName,
    private readonly change: LoggedChange | NetChange,
    private readonly visible: VisibleChange,
    /** Whether its rooms rest on rights to a part of the documents: each adds its own cursor. */
    private readonly isLimited: boolean,
    private readonly delivery: Delivery,
  ) {}

  get cursor(): Cursor {
    return this.change.cursor;
  }

  /** Whether a client at this position has missed it. */
  isAfter(position: Cursor): boolean {
    const { change } = this;
    const within = isEvent(change) ? undefined : change.within;
    if (within === undefined) return change.cursor > position;
    return within.from <= position && position < within.to;
  }

  get scope(): 'in' | 'out' {
    return this.visible.scope;
  }

  private get envelope(): string {
    return (this.encoded ??= this.encode());
  }

  /** The notification for one room. */
  of({ id, rightId }: Room): string {
    const isMarked = this.isLimited && isEvent(this.change);
    return ofRoom(this.envelope, id, isMarked ? markCursor(this.cursor, rightId) : undefined);
  }

  private encode(): string {
    const { id, before, after, atMs } = this.change;
    const { version, meta } = (after ?? before) as DocumentImage;
    const origin = isEvent(this.change) ? this.change.origin : null;
    const cursor = isEvent(this.change) && !this.isLimited ? this.cursor : undefined;
    const notified = { id, before, after, version, meta, origin, cursor, isReplayed: true };
    return this.delivery.envelope(toNotification(this.name, notified, this.visible), atMs);
  }
}

/** Finds the notifications of several subscriptions of one collection. */
export class ReplayScan {
  private readonly lines = new Map<string, Notice[]>();
  /** Position of the last removal of all documents. */
  private wipedAt: Cursor = '';
  /** Position of the last change that was not matched against all patterns. */
  private unsearchedAt: Cursor = '';

  constructor(
    private readonly name: CollectionName,
    /** Everything up to this position has been read. */
    readonly head: Cursor,
    private readonly parts: ScanParts,
  ) {}

  /** Tests the changes, oldest first, against the filters of the rooms. */
  async test(rooms: Iterable<Room>, changes: readonly ReplayedChange[]): Promise<void> {
    const { pacer, tests } = this.parts;
    for (const { id, filter, right } of rooms) {
      if (pacer.isOver) await pacer.turn();
      if (this.lines.has(id)) continue;
      const mapping = await tests.mappingFor(this.name, filter, right);
      tests.register(this.name, { filter, right, mapping });
      this.lines.set(id, []);
    }
    for (const change of changes) {
      if (pacer.isOver) await pacer.turn();
      if (isWipe(change)) this.wipedAt = change.cursor;
      else if (!isSilent(change)) this.testOne(change);
    }
  }

  /** Why a subscription can't be resumed from this scan; undefined: it can. */
  gapAfter({ room }: Channel, cursor: Cursor): GapReason | undefined {
    if (cursor < this.wipedAt) return 'wiped';
    return cursor < this.unsearchedAt && room.hasPatterns ? 'too_much' : undefined;
  }

  /** The number of notifications of a channel after a position. */
  count(channel: Channel, after: Cursor): number {
    let count = 0;
    for (const notice of this.linesOf(channel)) {
      if (notice.isAfter(after) && channel.hearsDocument('done', notice.scope)) count++;
    }
    return count;
  }

  /** The notifications of a channel after a position, in order. */
  *envelopes(channel: Channel, after: Cursor): Iterable<string> {
    for (const notice of this.linesOf(channel)) {
      if (!notice.isAfter(after) || !channel.hearsDocument('done', notice.scope)) continue;
      yield notice.of(channel.room);
    }
  }

  private linesOf({ room }: Channel): readonly Notice[] {
    return this.lines.get(room.id) ?? [];
  }

  private testOne(change: LoggedChange | NetChange): void {
    const { tests } = this.parts;
    const { id, before, after, atMs } = change;
    const { entered, stayed, left, limited } = tests.testChange(this.name, id, before, after, atMs);
    if (tests.isIncomplete(this.name)) this.unsearchedAt = change.cursor;
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
    const notice = new Notice(this.name, change, visible, isLimited, this.parts.delivery);
    for (const roomId of roomIds) this.lines.get(roomId)?.push(notice);
  }
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
