/* Reads the recorded changes of one collection from the stream, in slices. */
import {
  DocumentText,
  EventLoopPacer,
  weighText,
  type Cursor,
  type DocumentImage,
  type GapReason,
  type LoggedChange,
  type LoggedWipe,
  type NetChange,
  type Replay,
  type ReplayLimits,
  type ReplayPace,
} from '@millrace/kernel';
import { decodeEntry, type NodeMessage } from '../redis/wire.js';
import type { LogStore } from '../LogStore.js';
import { CHANGE, GONE, LOST, readChangeBody, readLostKeys, readRefKey, UNRECORDED, WIPED } from './logMessages.js';
import type { StreamEntry } from '../redis/RedisStream.js';
import { toCursor, type Position } from './positions.js';

/** Entries have up to a mebibyte; most have a few changes. */
const MAX_ENTRIES = 128;
const MIN_ENTRIES = 8;
const MAX_WEIGHT = 2 ** 22;

/** What to read: the changes of a collection after a position, up to an entry. */
export interface LogRange {
  readonly key: string;
  readonly epoch: string;
  readonly after: Position;
  readonly upTo: string;
  readonly head: Cursor;
}

interface Row {
  readonly change: LoggedChange | LoggedWipe;
  /** See `weighText`. */
  readonly weight: number;
}

/** A gap that ends a reading. */
class Gap extends Error {
  constructor(readonly reason: GapReason) {
    super(reason);
  }
}

export class LogReader {
  constructor(private readonly stream: Pick<LogStore, 'range' | 'firstId'>) {}

  /** See `ChangeLog.changesAfter`. */
  changesAfter(
    range: LogRange,
    { maxChanges, maxWeight, pace }: ReplayLimits,
  ): Promise<Replay<LoggedChange | LoggedWipe>> {
    return orGap(async () => {
      let changes: (LoggedChange | LoggedWipe)[] = [];
      let total = 0;
      for await (const { change, weight } of this.rows(range, pace)) {
        if (change.kind === 'wiped') [changes, total] = [[], 0];
        changes.push(change);
        total += weight;
        if (changes.length > maxChanges || total > maxWeight) throw new Gap('too_much');
      }
      return { head: range.head, changes };
    });
  }

  /** See `ChangeLog.netChangesAfter`. */
  netChangesAfter(range: LogRange, { maxChanges, maxWeight, pace }: ReplayLimits): Promise<Replay<NetChange>> {
    return orGap(async () => {
      const net = new Map<string, { readonly change: NetChange; readonly weight: number }>();
      let total = 0;
      for await (const { change, weight } of this.rows(range, pace)) {
        if (change.kind === 'wiped') throw new Gap('wiped');
        const { id, before, after, cursor, atMs } = change;
        const known = net.get(id);
        net.delete(id);
        total += weight - (known?.weight ?? 0);
        const first = known === undefined ? before : known.change.before;
        net.set(id, { change: { id, before: first, after, cursor, atMs }, weight });
        if (net.size > maxChanges || total > maxWeight) throw new Gap('too_much');
      }
      const changes = [...net.values()].map(({ change }) => change);
      return { head: range.head, changes: changes.filter(({ before, after }) => before ?? after) };
    });
  }

  private async *rows(range: LogRange, pace: ReplayPace = new EventLoopPacer(1)): AsyncGenerator<Row> {
    const { after, upTo } = range;
    let count = MIN_ENTRIES;
    for (let from = after.entryId; ;) {
      const entries = await this.stream.range(from, upTo, count);
      let weight = 0;
      for (const entry of entries) {
        for (const row of rowsOf(entry, range)) {
          weight += row.weight;
          yield row;
        }
        if (pace.isDue()) await pace.rest();
      }
      const last = entries.at(-1);
      if (last === undefined) break;
      from = `(${last.id}`;
      count = weight > MAX_WEIGHT ? MIN_ENTRIES : Math.min(2 * count, MAX_ENTRIES);
    }
    // Entries may have been trimmed before they were read.
    const firstId = await this.stream.firstId();
    if (toCursor('', firstId, 0) > toCursor('', after.entryId, 0)) throw new Gap('expired');
  }
}

function* rowsOf({ id, fields }: StreamEntry, { key, epoch, after }: LogRange): Iterable<Row> {
  const messages = decodeEntry(fields)?.messages ?? [];
  const first = id === after.entryId ? after.place + 1 : 0;
  for (let place = first; place < messages.length; place++) {
    const row = toRow(key, messages[place] as NodeMessage, () => toCursor(epoch, id, place));
    if (row !== undefined) yield row;
  }
}

/** @returns undefined for messages that concern other collections, and for malformed ones, which no node has taken */
function toRow(collectionKey: string, { topic, key, body }: NodeMessage, cursor: () => Cursor): Row | undefined {
  if (topic === LOST || topic === UNRECORDED) {
    if (key === collectionKey || key === '') throw new Gap('node_lost');
    return undefined;
  }
  if (topic === GONE) {
    if (isLost(body, collectionKey)) throw new Gap('node_lost');
    return undefined;
  }
  if (topic !== CHANGE && topic !== WIPED) return undefined;
  try {
    if (readRefKey(key).collection !== collectionKey) return undefined;
    if (topic === WIPED) return { change: { kind: 'wiped', cursor: cursor(), atMs: 0 }, weight: 0 };
    const change = readChangeBody(body);
    const before = toText(change.before);
    const after = toText(change.after);
    return {
      change: { kind: 'document', cursor: cursor(), ...change, before, after },
      weight: weighText(body),
    };
  } catch {
    return undefined;
  }
}

function isLost(body: string, collectionKey: string): boolean {
  try {
    return readLostKeys(body).includes(collectionKey);
  } catch {
    return false;
  }
}

function toText(image: DocumentImage | null): DocumentImage | null {
  return image && new DocumentText(JSON.stringify(image.source), image.meta, image.version);
}

async function orGap<T>(read: () => Promise<T>): Promise<T | { readonly gap: GapReason }> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Gap) return { gap: error.reason };
    throw error;
  }
}
