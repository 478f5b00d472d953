/*
 * Reads missed changes from the change log. Clients that lost their server come back at the same time, so resumes of
 * one collection that arrive within 25 ms, or while others are read, share one reading, from the lowest of their cursors.
 * Readings run one after the other: the documents of one are in memory at a time. Nothing is read for clients that have
 * gone in the meantime: they would keep those waiting that have come back.
 */
import {
  CHANGE_LOG,
  coreErrors,
  realtimeErrors,
  toCollectionKey,
  type ChangeLog,
  type CollectionName,
  type Connection,
  type Cursor,
  type GapReason,
  type Replay as LogReplay,
  type ReplayLimits,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { Delivery } from '../Delivery.js';
import { RoomTesting } from '../matching/RoomTesting.js';
import type { Channel } from '../rooms/Channel.js';
import { Pacer } from './Pacer.js';
import { ReplayScan, type ReplayedChange } from './ReplayScan.js';
import type { ResumeAsked } from './ResumeAsked.js';

const SHARE_MS = 25;
/** Resumes answered in one turn of the event loop: each answers a request and begins a replay. */
const ANSWERS_PER_TURN = 20;
/** Changes, or documents, that one reading returns at most. */
export const MAX_REPLAY = 10_000;
const LIMITS: ReplayLimits = { maxChanges: MAX_REPLAY, maxChars: 32 * 2 ** 20 };

type Kind = 'events' | 'state';

/** What a client has missed. */
interface Missing {
  readonly channel: Channel;
  readonly cursor: Cursor;
  /** Of the client. */
  readonly connection: Connection;
}

/** A resume that waits for a reading. */
interface Waiting extends Missing {
  readonly resolve: (outcome: Replayed | GapReason) => void;
  readonly reject: (error: unknown) => void;
}

interface Group {
  readonly name: CollectionName;
  readonly kind: Kind;
  readonly waiting: Waiting[];
}

interface FromLowest {
  readonly from: number;
  /** Absent if no cursor can be read. */
  readonly replay?: Extract<LogReplay<ReplayedChange>, { readonly head: Cursor }>;
}

/** The missed notifications of one channel after a position, up to `head`. */
export interface Replayed {
  readonly head: Cursor;
  readonly count: number;
  readonly envelopes: Iterable<string>;
  /** What keeps the documents in memory: several channels may share it. */
  readonly reading: object;
}

/** Finds the notifications that subscriptions have missed. */
@scoped(Scope.ContainerScoped)
export class Replays {
  private readonly groups = new Map<string, Group>();
  private tail: Promise<void> = Promise.resolve();

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

  private async findKind(
    kind: Kind,
    missing: Missing,
    maxReplay: number,
  ): Promise<Replayed | GapReason> {
    const found = await this.share(kind, missing);
    return typeof found === 'object' && found.count > maxReplay ? 'too_much' : found;
  }

  private share(kind: Kind, missing: Missing): Promise<Replayed | GapReason> {
    const { channel, cursor } = missing;
    const { index, collection } = channel.room;
    // Effects depend on the position: some logs read those of several positions at once.
    const isOfOne = kind === 'state' && this.log?.netChangesAfterEach === undefined;
    const shared = isOfOne ? cursor : '';
    const key = `${kind} ${shared} ${toCollectionKey({ index, collection })}`;
    return new Promise((resolve, reject) => {
      let group = this.groups.get(key);
      if (group === undefined) {
        group = { name: { index, collection }, kind, waiting: [] };
        this.groups.set(key, group);
        setTimeout(() => this.begin(key), SHARE_MS);
      }
      group.waiting.push({ ...missing, resolve, reject });
    });
  }

  private begin(key: string): void {
    this.tail = this.tail.then(async () => {
      const group = this.groups.get(key);
      this.groups.delete(key);
      if (group === undefined) return;
      try {
        await this.readAll(group);
      } catch (error) {
        for (const { reject } of group.waiting) reject(error);
      }
    });
  }

  private async readAll(group: Group): Promise<void> {
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
    const { delivery, pacer } = this;
    const parts = { delivery, pacer, tests: this.testing.open() };
    const scan = new ReplayScan(group.name, replay.head, parts);
    const isReached = ({ cursor }: Waiting) => cursor <= replay.head;
    for (const each of left.slice(from)) if (!isReached(each)) each.reject(tooLate());
    const readable = left.slice(from).filter(isReached);
    await scan.test(new Set(readable.map(({ channel }) => channel.room)), replay.changes);
    for (const [n, each] of readable.entries()) {
      each.resolve(toOutcome(scan, each));
      if (n % ANSWERS_PER_TURN === ANSWERS_PER_TURN - 1) await pacer.turn();
    }
  }

  /**
   * Reads from the lowest cursor that can be read; the resumes before it receive the reason.
   * @param waiting by cursor
   */
  private async readFromLowest(group: Group, waiting: readonly Waiting[]): Promise<FromLowest> {
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
  private async read(
    { name, kind }: Group,
    cursors: readonly Cursor[],
  ): Promise<LogReplay<ReplayedChange>> {
    const { log } = this;
    const [lowest = ''] = cursors;
    if (log === null) return { gap: 'not_recorded' };
    if (kind === 'events') return log.changesAfter(name, lowest, LIMITS);
    const each = cursors.length > 1 ? log.netChangesAfterEach?.(name, cursors, LIMITS) : undefined;
    return each ?? log.netChangesAfter(name, lowest, LIMITS);
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

function toOutcome(scan: ReplayScan, { channel, cursor }: Waiting): Replayed | GapReason {
  const gap = scan.gapAfter(channel, cursor);
  if (gap !== undefined) return gap;
  const count = scan.count(channel, cursor);
  return { head: scan.head, count, envelopes: scan.envelopes(channel, cursor), reading: scan };
}
