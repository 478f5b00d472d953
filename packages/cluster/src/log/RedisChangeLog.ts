/*
 * The change log of a cluster (docs/decisions/0032): the stream between the nodes, in its order. All nodes read it and
 * pass its changes on to their subscribers in that order; a cursor is a place in the stream.
 */
import {
  clusterErrors,
  malformedMessage,
  readCollectionKey,
  toCollectionKey,
  type ChangeLog,
  type ChangeReceiver,
  type CollectionName,
  type Cursor,
  type DocumentChange,
  type LoggedChange,
  type LoggedWipe,
  type Logger,
  type NetChange,
  type Replay,
  type ReplayLimits,
  type StorageEngine,
} from '@millrace/kernel';
import type { NodeMessage } from '../link/wire.js';
import type { LogStore } from '../redis/LogStore.js';
import { CoverSharing } from './CoverSharing.js';
import { Intents } from './Intents.js';
import type { LogHistory, LogLink } from './LogLink.js';
import { LogProgress, tooLate } from './LogProgress.js';
import { LogReader, type LogRange } from './LogReader.js';
import { LostNodes } from './LostNodes.js';
import {
  CHANGE,
  COVERED,
  DONE,
  EPOCH,
  ERASED,
  HOLE,
  INTENT,
  LOST,
  readChangeBody,
  readIntentKey,
  readRefKey,
  readScope,
  RESOLVE,
  UNRECORDED,
  WIPED,
} from './logMessages.js';
import { newEpoch, parseCursor, toCursor } from './positions.js';
import { recordWrites } from './recordWrites.js';
import { WriteRecorder } from './WriteRecorder.js';

/** Dependencies of `RedisChangeLog`. */
export interface RedisChangeLogParts {
  readonly link: LogLink;
  readonly stream: LogStore;
  readonly history: LogHistory;
  readonly internalIndex: string;
  readonly engine: StorageEngine;
  readonly deadAfterMs: number;
  readonly logger: Logger;
}

/** Where a message is in the stream. */
export interface Place {
  readonly entryId: string;
  readonly place: number;
  readonly from: string;
}

/** In addition to the time after which a node is declared dead. */
const TURN_MARGIN_MS = 5_000;

/** Passes changes on, and reads them again. See `ChangeLog`. */
export class RedisChangeLog implements ChangeLog {
  /** The engine that records. */
  readonly engine: StorageEngine;
  private readonly intents = new Intents();
  private readonly progress: LogProgress;
  private readonly covers: CoverSharing;
  private readonly lostNodes: LostNodes;
  private readonly reader: LogReader;
  private readonly recorder: WriteRecorder;
  private receiver: ChangeReceiver | undefined;
  private timer: NodeJS.Timeout | undefined;
  private sequence = 0;

  constructor(private readonly parts: RedisChangeLogParts) {
    const { link, stream, engine, deadAfterMs, internalIndex } = parts;
    const { intents } = this;
    this.progress = new LogProgress(stream);
    this.reader = new LogReader(stream);
    this.lostNodes = new LostNodes({ ...parts, intents });
    const unrecordedEnded = () => this.recorder.unrecordedEnded();
    this.covers = new CoverSharing({ ...parts, unrecordedEnded });
    this.recorder = new WriteRecorder({
      engine,
      nodeId: link.nodeId,
      intents,
      echoes: link.echoes,
      send: (...message) => link.send(...message),
      resolve: (ref) => this.lostNodes.resolve(ref),
      markUnrecorded: () => this.lostNodes.unrecorded.mark(),
      isInternal: ({ index }) => index === internalIndex,
      isRecorded: (name) => this.covers.isRecorded(name),
      recordedIn: (index) => this.covers.recordedIn(index),
      turnWithinMs: deadAfterMs + TURN_MARGIN_MS,
    });
    this.engine = recordWrites(engine, this, this.recorder);
  }

  get epoch(): string {
    return this.progress.epoch;
  }

  passOn(receiver: ChangeReceiver): void {
    this.receiver = receiver;
  }

  /** Call once the stream is open, with the newest entry, before it is read. */
  async start(lastId: string): Promise<void> {
    const { stream } = this.parts;
    this.progress.begin(await stream.epoch(newEpoch(Date.now())), lastId);
    await this.lostNodes.readIntents(lastId, (message, from, entryId) => {
      try {
        this.take(message, { entryId, place: 0, from });
      } catch {
        // Malformed: no node has taken it.
      }
    });
    await this.covers.exchange();
    this.timer = setInterval(() => void this.refresh(), this.covers.refreshMs).unref();
  }

  /** Call when all nodes know this one. */
  async whenJoined(): Promise<void> {
    await this.lostNodes.findGone();
    await this.covers.coverConfigured();
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
    this.lostNodes.resolver.stop();
  }

  cursorAt(entryId: string, place: number): Cursor {
    return this.progress.cursorAt(entryId, place);
  }

  head(): Cursor {
    return this.progress.head();
  }

  cover(name: CollectionName): Promise<void> {
    return this.covers.cover(name);
  }

  release(name: CollectionName): void {
    this.covers.release(name);
  }

  /** Not supported: changes leave the stream by age and size. */
  pin(): void {}

  async erase(name: CollectionName): Promise<void> {
    const { link, stream } = this.parts;
    const number = link.send(ERASED, toCollectionKey(name), '');
    link.echoes.expect(number);
    await link.echoes.back(number);
    // All nodes have read what is removed.
    await link.synced();
    const position = parseCursor(link.echoes.positionOf(number) ?? '');
    if (position === undefined)
      throw clusterErrors.unavailable({ reason: 'the Redis of the cluster is away' });
    await stream.trimBefore(position.entryId);
  }

  check(cursor: string): Cursor {
    return this.progress.check(cursor);
  }

  async changesAfter(
    name: CollectionName,
    after: Cursor,
    limits: ReplayLimits,
  ): Promise<Replay<LoggedChange | LoggedWipe>> {
    const range = await this.rangeAfter(name, after);
    return 'key' in range ? this.reader.changesAfter(range, limits) : range;
  }

  async netChangesAfter(
    name: CollectionName,
    after: Cursor,
    limits: ReplayLimits,
  ): Promise<Replay<NetChange>> {
    const range = await this.rangeAfter(name, after);
    return 'key' in range ? this.reader.netChangesAfter(range, limits) : range;
  }

  /** Takes a message of the stream, each once, in its order. @throws if it is malformed */
  take({ topic, key, body, number }: NodeMessage, { entryId, place, from }: Place): void {
    const cursor = this.cursorAt(entryId, place);
    switch (topic) {
      case INTENT: {
        const ref = `${from}:${number}`;
        const documents = readIntentKey(key);
        return this.intents.add({ ref, nodeId: from, documents, body, logged: new Set() });
      }
      case DONE:
        return this.lostNodes.takeDone(key, from);
      case RESOLVE:
        return this.lostNodes.resolver.take(key, from);
      case CHANGE:
        return this.takeChange(key, body, { cursor, from });
      case WIPED:
        return this.noteChange(readRefKey(key).collection, cursor);
      case HOLE:
      case ERASED:
      case UNRECORDED:
        return this.noteChange(key, cursor);
      case LOST:
        this.noteChange(key, cursor);
        return this.receiver?.lost(readScope(key), body);
      case COVERED:
        return this.covers.take(key, body, entryId);
      case EPOCH:
        if (key > this.epoch && /^[0-9a-z]{8}$/.test(key)) this.adopt(key);
        return undefined;
      default:
        throw malformedMessage('a message of the change log');
    }
  }

  /** All messages of an entry have been taken. */
  taken(entryId: string): void {
    this.progress.taken(entryId);
    this.receiver?.reached(this.head());
  }

  /** Redis was away. @param hasLost entries that were there are gone */
  async reconnected(lastId: string, hasLost: boolean): Promise<void> {
    const { stream, link } = this.parts;
    const fresh = newEpoch(Date.now());
    const epoch = hasLost
      ? await stream.replaceEpoch(this.epoch, fresh)
      : await stream.epoch(fresh);
    if (epoch === this.epoch) return;
    this.adopt(epoch, hasLost ? '0-0' : lastId);
    link.send(EPOCH, epoch, '');
  }

  /** Another node needs to know what is recorded. */
  tellCovers(): void {
    this.covers.tell();
  }

  /** Messages of a node were lost. */
  missed(nodeId: string): void {
    this.progress.missed();
    this.lostNodes.missed(nodeId);
  }

  /** Messages of this node were dropped: what they recorded is missing. */
  dropped(): void {
    const { link } = this.parts;
    this.intents.closeAll(link.nodeId);
    link.echoes.release();
    link.send(HOLE, '', '');
  }

  /** A node is gone. */
  left(nodeId: string, how: 'stopped' | 'died'): void {
    this.lostNodes.left(nodeId, how);
  }

  /** A beat has come back: Redis is there, and has everything that this node sent before. */
  reached(number: number): void {
    if (!this.recorder.hasLeftHoles(number)) return;
    this.lostNodes.unrecorded.unmark().catch(() => undefined);
  }

  private takeChange(
    key: string,
    body: string,
    { cursor, from }: { readonly cursor: Cursor; readonly from: string },
  ): void {
    const { ref, collection } = readRefKey(key);
    const [intentRef = '', place = ''] = ref.split('.');
    const fullRef = intentRef.includes(':') ? intentRef : `${from}:${intentRef}`;
    const name = readCollectionKey(collection);
    this.noteChange(collection, cursor);
    if (this.lostNodes.isRecordedFor(fullRef, place, from)) {
      // Its node was declared dead and lives.
      const { link } = this.parts;
      if (from === link.nodeId) link.send(HOLE, collection, '');
      return;
    }
    this.intents.find(fullRef)?.logged.add(place);
    this.receiver?.changed(name, cursor, () => {
      const sequence = ++this.sequence;
      return toNotified(name, body, { cursor, sequence });
    });
  }

  /** @param key empty: of all collections */
  private noteChange(key: string, cursor: Cursor): void {
    if (key === '' || this.covers.isRecorded(readCollectionKey(key)))
      this.progress.note(key, cursor);
  }

  private adopt(epoch: string, entryId?: string): void {
    this.progress.begin(epoch, entryId);
    this.covers.restart();
    void this.covers.exchange().catch(() => undefined);
  }

  /** The range to read; or why there is none, or nothing in it. */
  private async rangeAfter(
    name: CollectionName,
    cursor: Cursor,
  ): Promise<LogRange | { gap: 'epoch_changed' | 'not_recorded' | 'node_lost' } | { head: Cursor; changes: [] }> {
    const { progress } = this;
    const after = parseCursor(this.check(cursor));
    if (after === undefined || after.epoch !== this.epoch) return { gap: 'epoch_changed' };
    // The node that this cursor comes from may be ahead.
    if (!(await progress.catchUp())) return { gap: 'node_lost' };
    const { epoch, lastEntryId: upTo } = progress;
    if (after.epoch !== epoch) return { gap: 'epoch_changed' };
    const head = this.head();
    if (cursor > head) throw tooLate();
    const key = toCollectionKey(name);
    const since = this.covers.sinceOf(key);
    if (since === undefined || cursor < toCursor(epoch, since, 0)) return { gap: 'not_recorded' };
    return progress.isQuietAfter(key, cursor) ? { head, changes: [] } : { key, epoch, after, upTo, head };
  } // prettier-ignore

  private async refresh(): Promise<void> {
    const { stream, history, deadAfterMs } = this.parts;
    try {
      for (const key of await this.covers.exchange()) this.progress.forget(key);
      // Living nodes have read what is older.
      await stream.trimOlderThan(Math.max(history.maxAgeMs, 2 * deadAfterMs));
    } catch {
      // Redis is away: the next time.
    }
  }
}

/** The change as subscribers receive it; null if they don't. */
function toNotified(
  name: CollectionName,
  body: string,
  position: Pick<DocumentChange, 'cursor' | 'sequence'>,
): { readonly change: DocumentChange; readonly atMs: number } | null {
  const { id, before, after, origin, atMs } = readChangeBody(body);
  if (origin === null) return null;
  const version = after?.version ?? before?.version ?? 0;
  const documents = { before: before?.source ?? null, after: after?.source ?? null };
  const meta = { metaBefore: before?.meta ?? null, metaAfter: after?.meta ?? null };
  return { change: { ...name, id, version, ...documents, ...meta, origin, ...position }, atMs };
}
