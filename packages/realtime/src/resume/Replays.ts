/*
 * Reads missed changes from the change log. Clients that lost their server come back at the same time, so resumes of
 * one collection that arrive within 25 ms, or while another one of the user is read, share one reading, from the lowest of their cursors.
 * Nothing is read for clients that have gone in the meantime: they would keep those waiting that have come back.
 *
 * Users take turns (`FairQueue`), and an address has at most half of the readings that run at a time. Those of different
 * users share a reading only while their filters are small: the filters of one, however large or many, delay no other.
 * Of those who share one, those who have missed little are answered first.
 */
import {
  CHANGE_LOG,
  coreErrors,
  FairQueue,
  realtimeErrors,
  toCollectionKey,
  type ChangeLog,
  type CollectionName,
  type Connection,
  type Cursor,
  type GapReason,
  type Replay as LogReplay,
  type ReplayLimits,
  type Session,
  type TurnKeys,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { Delivery } from '../Delivery.js';
import { RoomTesting } from '../matching/RoomTesting.js';
import type { Channel } from '../rooms/Channel.js';
import { Pacer, turnKeysOf } from '../Pacer.js';
import { ReplayScan, type ReplayedChange } from './ReplayScan.js';
import type { ResumeAsked } from './ResumeAsked.js';

const SHARE_MS = 25;
/** Resumes answered in one turn of the event loop: each answers a request and begins a replay. */
const ANSWERS_PER_TURN = 20;
/** Changes, or documents, that one reading returns at most. */
export const MAX_REPLAY = 10_000;
const LIMITS = { maxChanges: MAX_REPLAY, maxWeight: 32 * 2 ** 20 };
/** Readings at a time: the documents of each are in memory. */
const MAX_READINGS = 4;
const MAX_READINGS_OF_ADDRESS = 2;
/** Estimated memory of the filters of one reading, and of those of a user that others share one with. */
const MAX_FILTER_BYTES = 16 * 2 ** 20;
const MAX_SHARED_BYTES = 2 ** 16;
/** Changes, after which those who have missed no more of them are answered. */
const NEAR_CHANGES = 1_000;
/** Notifications on the first page of a reading, and characters of JSON after which it ends. */
const MAX_PAGE = 1_000;
const MAX_PAGE_CHARS = 2 ** 20;

type Kind = 'events' | 'state';

/** What a client has missed. */
interface Missing {
  readonly channel: Channel;
  readonly cursor: Cursor;
  /** Of the client. */
  readonly connection: Connection;
  readonly session: Session | null;
  /** Only the first notifications are needed, and the reading is not kept for the others. */
  readonly isPage?: true;
}

/** A resume that waits for a reading. */
interface Waiting extends Missing {
  readonly resolve: (outcome: Replayed | GapReason) => void;
  readonly reject: (error: unknown) => void;
}

/** Resumes of one user that are read together. */
interface Group {
  readonly key: string;
  /** Equal for groups that may share a reading. */
  readonly sharedKey: string;
  readonly keys: TurnKeys;
  readonly name: CollectionName;
  readonly kind: Kind;
  readonly waiting: Waiting[];
  readonly roomIds: Set<string>;
  /** Estimated memory of the filters of its rooms. */
  filterBytes: number;
}

/** What one reading is for. */
type Reading = Pick<Group, 'keys' | 'name' | 'kind'> & { readonly waiting: readonly Waiting[] };

interface FromLowest {
  readonly from: number;
  /** Absent if no cursor can be read. */
  readonly replay?: Extract<LogReplay<ReplayedChange>, { readonly head: Cursor }>;
}

/** The missed notifications of one channel after a position, up to `head`. */
export interface Replayed {
  readonly head: Cursor;
  readonly count: number;
  /** Of a page the first ones. */
  readonly envelopes: Iterable<string>;
  /** What keeps the documents in memory: several channels may share it. */
  readonly reading: object;
  /** The changes of the collection that were read after the position. */
  readonly readCount: number;
}

/** Finds the notifications that subscriptions have missed. */
@scoped(Scope.ContainerScoped)
export class Replays {
  /** The last one of each key, until it is read. */
  private readonly groups = new Map<string, Group>();
  /** All that wait, by what they may share. */
  private readonly unread = new Map<string, Set<Group>>();
  private readonly turns = new FairQueue<Group>();
  /** By key of a group that is being read: its address, and later ones with the same key. */
  private readonly running = new Map<string, { readonly address: string; readonly later: Group[] }>();

  constructor(
    @inject(CHANGE_LOG) private readonly log: ChangeLog | null,
    @inject(Delivery) private readonly delivery: Delivery,
    @inject(Pacer) private readonly pacer: Pacer,
    @inject(RoomTesting) private readonly testing: RoomTesting,
  ) {}

  /**
   * @returns the missed notifications, or why they are unknown
   * @throws core.client_gone (499)
   */
  async find(missing: Missing, { mode, maxReplay }: ResumeAsked): Promise<Replayed | GapReason> {
    if (mode === 'state') return this.findKind('state', missing, maxReplay);
    const found = await this.findKind('events', missing, maxReplay);
    if (mode === 'events' || found !== 'too_much') return found;
    return this.findKind('state', missing, maxReplay);
  }

  private async findKind(kind: Kind, missing: Missing, maxReplay: number): Promise<Replayed | GapReason> {
    const found = await this.share(kind, missing);
    return typeof found === 'object' && found.count > maxReplay ? 'too_much' : found;
  }

  private share(kind: Kind, missing: Missing): Promise<Replayed | GapReason> {
    const { channel, cursor, connection, session } = missing;
    const { id, index, collection, filterBytes } = channel.room;
    // Effects depend on the position: some logs read those of several positions at once.
    const isOfOne = kind === 'state' && this.log?.netChangesAfterEach === undefined;
    const shared = isOfOne ? cursor : '';
    const sharedKey = `${kind} ${shared} ${toCollectionKey({ index, collection })}`;
    const [address, user] = turnKeysOf(connection, session);
    const key = `${sharedKey}\n${address}\n${user}`;
    return new Promise((resolve, reject) => {
      let group = this.groups.get(key);
      const addedBytes = group?.roomIds.has(id) === true ? 0 : filterBytes;
      if (group === undefined || group.filterBytes + addedBytes > MAX_FILTER_BYTES) {
        group = {
          key,
          sharedKey,
          keys: [address, user, ''],
          name: { index, collection },
          kind,
          waiting: [],
          roomIds: new Set(),
          filterBytes: 0,
        };
        this.begin(group);
      }
      group.waiting.push({ ...missing, resolve, reject });
      group.roomIds.add(id);
      group.filterBytes += addedBytes;
    });
  }

  private begin(group: Group): void {
    const { key, sharedKey, keys } = group;
    this.groups.set(key, group);
    const unread = this.unread.get(sharedKey);
    if (unread === undefined) this.unread.set(sharedKey, new Set([group]));
    else unread.add(group);
    setTimeout(() => {
      this.turns.push(keys, group);
      this.runNext();
    }, SHARE_MS);
  }

  private runNext(): void {
    const mayRun = (address: string) => {
      const own = [...this.running.values()].filter((each) => each.address === address);
      return own.length < MAX_READINGS_OF_ADDRESS;
    };
    while (this.running.size < MAX_READINGS) {
      const group = this.turns.take(mayRun);
      if (group === undefined) return;
      const running = this.running.get(group.key);
      if (running !== undefined) {
        running.later.push(group);
        continue;
      }
      const together = this.takeWith(group);
      // Empty: it has been read with another one.
      if (together.length > 0) void this.run(group, together);
    }
  }

  private async run(group: Group, together: readonly Group[]): Promise<void> {
    const { key, keys, name, kind } = group;
    const [address] = keys;
    const later: Group[] = [];
    this.running.set(key, { address, later });
    const waiting = together.flatMap((each) => each.waiting);
    try {
      await this.readAll({ keys, name, kind, waiting });
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
    this.running.delete(key);
    for (const each of later) this.turns.push(keys, each);
    this.runNext();
  }

  /** Takes a group, and those of other users that share its reading. */
  private takeWith(group: Group): readonly Group[] {
    const taken: Group[] = [];
    let bytes = 0;
    const isSmall = ({ filterBytes }: Group) => filterBytes <= MAX_SHARED_BYTES;
    const unread = this.unread.get(group.sharedKey);
    if (unread?.has(group) !== true) return taken;
    for (const each of isSmall(group) ? [group, ...unread] : [group]) {
      if (each !== group && (!isSmall(each) || bytes + each.filterBytes > MAX_FILTER_BYTES)) continue;
      if (!unread.delete(each)) continue;
      if (this.groups.get(each.key) === each) this.groups.delete(each.key);
      bytes += each.filterBytes;
      taken.push(each);
    }
    if (unread.size === 0) this.unread.delete(group.sharedKey);
    return taken;
  }

  private async readAll(group: Reading): Promise<void> {
    const { log } = this;
    const isReadable = ({ cursor }: Waiting) => log !== null && cursor.startsWith(`${log.epoch}.`);
    const reason = log === null ? 'not_recorded' : 'epoch_changed';
    for (const each of group.waiting) {
      if (isGone(each)) each.reject(coreErrors.client_gone({}));
      else if (!isReadable(each)) each.resolve(reason);
    }
    const left = group.waiting.filter((each) => !isGone(each) && isReadable(each));
    left.sort((a, b) => (a.cursor < b.cursor ? -1 : a.cursor > b.cursor ? 1 : 0));
    const { from, replay } = await this.readFromLowest(group, left);
    if (replay === undefined) return;
    const isReached = ({ cursor }: Waiting) => cursor <= replay.head;
    for (const each of left.slice(from)) if (!isReached(each)) each.reject(tooLate());
    const readable = left.slice(from).filter(isReached);
    const { changes } = replay;
    const nearFrom = changes[changes.length - NEAR_CHANGES - 1]?.cursor ?? '';
    const farCount = readable.filter(({ cursor }) => cursor < nearFrom).length;
    await this.answer(group, replay, readable.slice(farCount));
    await this.answer(group, replay, readable.slice(0, farCount));
  }

  /** @param waiting by cursor */
  private async answer(
    { name, keys }: Reading,
    { head, changes }: Extract<LogReplay<ReplayedChange>, { readonly head: Cursor }>,
    waiting: readonly Waiting[],
  ): Promise<void> {
    const [lowest] = waiting;
    if (lowest === undefined) return;
    const { delivery, pacer } = this;
    const scan = new ReplayScan(name, head, delivery, pacer, keys);
    const rooms = new Set(waiting.map(({ channel }) => channel.room));
    const first = firstAfter(changes, lowest.cursor);
    await scan.test(rooms, changes.slice(first), this.testing.open());
    for (const [n, each] of waiting.entries()) {
      const readCount = changes.length - firstAfter(changes, each.cursor);
      each.resolve(toOutcome(scan, each, readCount));
      if (pacer.isOver || n % ANSWERS_PER_TURN === ANSWERS_PER_TURN - 1) await pacer.turn(keys);
    }
  }

  /**
   * Reads from the lowest cursor that can be read; the resumes before it receive the reason.
   * @param waiting by cursor
   */
  private async readFromLowest(group: Reading, waiting: readonly Waiting[]): Promise<FromLowest> {
    let found: FromLowest = { from: waiting.length };
    // Usually it is the first one; otherwise a binary search finds it.
    let [low, high, at] = [0, waiting.length, 0];
    while (low < high) {
      const cursors = [...new Set(waiting.slice(at).map(({ cursor }) => cursor))];
      const replay = await this.read(group, cursors);
      if (group.kind === 'state' && cursors.length > 1 && isTooMuch(replay)) {
        // Together they need too much memory.
        const middle = waiting.findIndex(({ cursor }) => cursor === cursors[cursors.length >> 1]);
        for (const part of [waiting.slice(low, middle), waiting.slice(middle)]) {
          await this.readAll({ ...group, waiting: part });
        }
        return { from: waiting.length };
      }
      if ('gap' in replay) {
        for (; low <= at; low++) waiting[low]?.resolve(replay.gap);
      } else {
        found = { from: at, replay };
        high = at;
      }
      at = Math.floor((low + high) / 2);
    }
    return found;
  }

  /** @param cursors in ascending order */
  private async read({ name, kind, keys }: Reading, cursors: readonly Cursor[]): Promise<LogReplay<ReplayedChange>> {
    const { log, pacer } = this;
    const [lowest = ''] = cursors;
    if (log === null) return { gap: 'not_recorded' };
    const limits: ReplayLimits = { ...LIMITS, pace: pacer.of(keys) };
    if (kind === 'events') return log.changesAfter(name, lowest, limits);
    const each = cursors.length > 1 ? log.netChangesAfterEach?.(name, cursors, limits) : undefined;
    return each ?? log.netChangesAfter(name, lowest, limits);
  }
}

function isTooMuch(replay: LogReplay<ReplayedChange>): boolean {
  return 'gap' in replay && replay.gap === 'too_much';
}

/** The error for a cursor that no node has given out yet. */
function tooLate(): Error {
  const reason = 'got one that is later than the last change';
  return realtimeErrors.invalid_cursor({ field: 'cursor', reason });
}

function isGone({ connection }: Missing): boolean {
  return connection.lifetime?.isClosed === true;
}

/** The place of the first change after a position. @param changes by cursor */
function firstAfter(changes: readonly ReplayedChange[], position: Cursor): number {
  let [low, high] = [0, changes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((changes[middle] as ReplayedChange).cursor <= position) low = middle + 1;
    else high = middle;
  }
  return low;
}

function toOutcome(scan: ReplayScan, { channel, cursor, isPage }: Waiting, readCount: number): Replayed | GapReason {
  const gap = scan.gapAfter(channel, cursor);
  if (gap !== undefined) return gap;
  const { head } = scan;
  const count = scan.count(channel, cursor);
  const envelopes = scan.envelopes(channel, cursor);
  if (isPage !== true) return { head, count, envelopes, reading: scan, readCount };
  const page = firstOf(envelopes);
  return { head, count, envelopes: page, reading: page, readCount };
}

function firstOf(envelopes: Iterable<string>): readonly string[] {
  const page: string[] = [];
  let length = 0;
  for (const envelope of envelopes) {
    page.push(envelope);
    length += envelope.length;
    if (page.length === MAX_PAGE || length >= MAX_PAGE_CHARS) break;
  }
  return page;
}
