/*
 * Long polling: missed notifications as the answer to a request. A poll reads the change log as a resumed subscription
 * does. One that finds nothing and may wait becomes a member of the room, so that it is woken by exactly the changes
 * that it would return, then reads again.
 *
 * Users take turns in what polls compute: the filter is compiled in a turn of `Pacer`, and tested in one of `Replays`.
 * Between them a poll holds no compiled filter but while it waits as a member, when `SubscriptionBudget` counts it.
 */
import {
  CHANGE_LOG,
  JsonText,
  RATE_LIMITS,
  realtimeErrors,
  type ChangeLog,
  type CollectionName,
  type Cursor,
  type GapReason,
  type JsonObject,
  type RateLimits,
  type Request,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { gapOf } from '../Gap.js';
import type { RegisterAsked } from '../matching/RoomTests.js';
import { Coverage } from '../resume/Coverage.js';
import { Pacer, turnKeysOf } from '../Pacer.js';
import { MAX_REPLAY, Replays, type Replayed } from '../resume/Replays.js';
import { Channel } from '../rooms/Channel.js';
import { channelName, type Scope as ChangeScope } from '../rooms/ChannelOptions.js';
import { RoomTable } from '../rooms/RoomTable.js';
import { isOfRight, markCursor, positionOf } from '../rights/markCursor.js';
import { ReadRights } from '../rights/ReadRights.js';
import { WaitingPolls } from './WaitingPolls.js';

/** Changes that a poll reads for one unit of the rate limit. */
const CHANGES_PER_UNIT = 100;
/** In place of a cursor: the earliest position that the log still has. */
const OLDEST = 'oldest';
const ASKED = { mode: 'events', maxReplay: MAX_REPLAY } as const;

/** What a poll asks for. */
export interface PollAsked {
  /** A filter, or `{query: Q}`. */
  readonly filter: JsonObject;
  readonly scope: ChangeScope;
  /** `oldest`: the earliest position that the log still has. Absent: the caller only wants to know the position. */
  readonly cursor: Cursor | undefined;
  /** How long to wait for a change if there is none, in milliseconds. */
  readonly waitMs: number;
}

/** Answers polls. */
@scoped(Scope.ContainerScoped)
export class ChangePolls {
  constructor(
    @inject(CHANGE_LOG) private readonly log: ChangeLog | null,
    @inject(RoomTable) private readonly rooms: RoomTable,
    @inject(Replays) private readonly replays: Replays,
    @inject(Coverage) private readonly coverage: Coverage,
    @inject(WaitingPolls) private readonly waiting: WaitingPolls,
    @inject(ReadRights) private readonly readRights: ReadRights,
    @inject(Pacer) private readonly pacer: Pacer,
    @inject(RATE_LIMITS) private readonly limits: RateLimits | null,
  ) {}

  /**
   * Requires the right `realtime.subscribe` on the collection.
   * @returns `{changes, cursor, upToDate}`
   * @throws realtime.gap (410), realtime.invalid_cursor, realtime.* (400, 429, 503), 401 or 403
   */
  async poll(request: Request, name: CollectionName, asked: PollAsked): Promise<JsonText> {
    await this.readRights.authorize(request, name);
    const right = await this.readRights.toTest(request, name, asked.filter);
    const { cursor } = asked;
    if (cursor !== undefined && cursor !== OLDEST) this.log?.check(positionOf(cursor));
    const mapping = await this.rooms.tests.mappingFor(name, asked.filter, right);
    const { filter, scope } = asked;
    await this.turn(request);
    const channel = this.channelOf(name, { filter, right, mapping }, scope);
    const { room } = channel;
    if (this.log === null) throw gone('not_recorded');
    try {
      await this.coverage.recorded(room);
      return await this.answer(request, asked, channel);
    } finally {
      if (!this.rooms.hasRooms(room)) this.coverage.ended(room, request.connection);
    }
  }

  private async answer(request: Request, asked: PollAsked, channel: Channel): Promise<JsonText> {
    const { waitMs } = asked;
    const { room } = channel;
    const { rightId } = room;
    const cursor = asked.cursor === OLDEST ? await this.oldest(room, rightId) : asked.cursor;
    const isChanged = cursor !== undefined && !isOfRight(cursor, rightId);
    if (isChanged) throw await this.gap('rights_changed', rightId);
    if (cursor === undefined) return toAnswer([], markCursor((await this.log?.head()) ?? '', rightId), true);
    let position = positionOf(cursor);
    const read = async (from: Channel) => {
      const found = await this.read(request, from, position);
      position = found.head;
      return found;
    };
    const found = await read(channel);
    if (found.count > 0 || waitMs === 0) return toPage(found, rightId);
    await this.turn(request);
    return toPage(await this.waiting.wait(request, channel, waitMs, read), rightId);
  }

  /** @throws realtime.gap (410) if the collection isn't recorded */
  private async oldest(name: CollectionName, rightId: string): Promise<Cursor> {
    const position = await this.log?.oldest(name);
    if (position === undefined) throw await this.gap('not_recorded', rightId);
    return markCursor(position, rightId);
  }

  /** Resolves when it is the client's turn to compute something. */
  private async turn({ connection, session }: Request): Promise<void> {
    if (this.pacer.isOver) await this.pacer.turn(turnKeysOf(connection, session));
  }

  /** A channel that isn't in the table of rooms, with the same ids as one that is. */
  private channelOf(name: CollectionName, asked: RegisterAsked, scope: ChangeScope): Channel {
    const room = this.rooms.draft(name, asked);
    const options = { scope, state: 'done', users: 'none' } as const;
    return new Channel(channelName(room.id, options), room, options);
  }

  private async read(request: Request, channel: Channel, cursor: Cursor): Promise<Replayed> {
    const { connection, session } = request;
    const missing = { channel, cursor, connection, session, isPage: true } as const;
    const found = await this.replays.find(missing, ASKED);
    if (typeof found === 'object') {
      this.limits?.charge(request, Math.floor(found.readCount / CHANGES_PER_UNIT));
      return found;
    }
    throw await this.gap(found, channel.room.rightId);
  }

  private async gap(reason: GapReason, rightId: string) {
    const head = await this.log?.head();
    return gone(reason, head && markCursor(head, rightId));
  }
}

function toPage({ head, count, envelopes }: Replayed, rightId: string): JsonText {
  const page = [...envelopes];
  const last = page.at(-1);
  if (last === undefined || page.length === count) return toAnswer(page, markCursor(head, rightId), true);
  const { cursor } = JSON.parse(last) as { readonly cursor: Cursor };
  return toAnswer(page, cursor, false);
}

function toAnswer(changes: readonly string[], cursor: Cursor, upToDate: boolean): JsonText {
  const rest = `"cursor":${JSON.stringify(cursor)},"upToDate":${String(upToDate)}`;
  return new JsonText(`{"changes":[${changes.join(',')}],${rest}}`);
}

function gone(reason: GapReason, cursor?: Cursor) {
  const { message } = gapOf(reason);
  const details = { reason, ...(cursor !== undefined && { cursor }) };
  return realtimeErrors.gap({ message }, { details });
}
