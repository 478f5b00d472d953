/*
 * The change log of a cluster, or of one server (docs/decisions/0032): a stream, in its order. All nodes read it and pass
 * its changes on to their subscribers in that order; a cursor is a place in the stream.
 */
import {
  clusterErrors,
  toCollectionKey,
  type ChangeLog,
  type ChangeLogSize,
  type ChangeReceiver,
  type CollectionName,
  type Cursor,
  type Logger,
  type ReplayLimits,
  type StorageEngine,
} from '@millrace/kernel';
import type { LogStore } from '../LogStore.js';
import { CoverSharing } from './CoverSharing.js';
import { Holes } from './Holes.js';
import { Intents } from './Intents.js';
import { LogIntake } from './LogIntake.js';
import type { LogHistory, LogLink } from './LogLink.js';
import { LogProgress } from './LogProgress.js';
import { LogReader } from './LogReader.js';
import { LogReplays } from './LogReplays.js';
import { LostNodes } from './LostNodes.js';
import { EPOCH, ERASED, LOST } from './logMessages.js';
import { newEpoch, parseCursor, timeOf, toCursor } from './positions.js';
import { RemovalRecorder } from './RemovalRecorder.js';
import { storageSettled } from './storageSettled.js';
import { WriteRecorder } from './WriteRecorder.js';

/** What records. */
interface Recorders {
  readonly writes: WriteRecorder;
  readonly removals: RemovalRecorder;
  /** The recorded collections of an index. */
  readonly namesIn: (index: string) => readonly CollectionName[];
  readonly holes: Holes;
}

/** Dependencies of `StreamChangeLog`. */
interface StreamChangeLogParts {
  readonly link: LogLink;
  readonly stream: LogStore;
  readonly history: LogHistory;
  readonly internalIndex: string;
  readonly engine: StorageEngine;
  readonly deadAfterMs: number;
  readonly logger: Logger;
}

/** In addition to the time after which a node is declared dead; more than a write to a slow storage takes. */
const TURN_MARGIN_MS = 25_000;

/** Passes changes on, and reads them again. See `ChangeLog`. */
export class StreamChangeLog implements ChangeLog {
  /** The engine that records. */
  readonly engine: StorageEngine;
  private readonly intents = new Intents();
  private readonly progress: LogProgress;
  private readonly covers: CoverSharing;
  private readonly lostNodes: LostNodes;
  private readonly replays: LogReplays;
  /** Takes the messages of the log. */
  readonly intake: LogIntake;
  private readonly holes: Holes;
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;

  constructor(private readonly parts: StreamChangeLogParts) {
    const { link, stream, engine, deadAfterMs, internalIndex } = parts;
    const { intents } = this;
    this.progress = new LogProgress(stream);
    const turnWithinMs = deadAfterMs + TURN_MARGIN_MS;
    const settled = () => storageSettled(engine, () => this.isStopped);
    this.lostNodes = new LostNodes({ ...parts, intents, settled });
    const send = (...message: [string, string, string]) => link.send(...message);
    const markUnrecorded = () => this.lostNodes.unrecorded.mark();
    this.holes = new Holes(send, markUnrecorded, settled);
    const { holes } = this;
    const unrecordedEnded = () => holes.unrecordedEnded();
    this.covers = new CoverSharing({ ...parts, unrecordedEnded });
    const { progress, covers } = this;
    this.replays = new LogReplays(progress, covers, new LogReader(stream));
    const adopt = (epoch: string) => this.adopt(epoch);
    this.intake = new LogIntake({ link, intents, progress, covers, holes, adopt });
    const recording = {
      engine,
      nodeId: link.nodeId,
      intents,
      echoes: link.echoes,
      holes,
      send,
      settled,
      isInternal: ({ index }: CollectionName) => index === internalIndex,
      isRecorded: (name: CollectionName) => covers.isRecorded(name),
      turnWithinMs,
    };
    const writes = new WriteRecorder(recording);
    const removals = new RemovalRecorder(recording);
    const namesIn = (index: string) => covers.recordedIn(index);
    this.engine = recordWrites(engine, this, { writes, removals, namesIn, holes });
  }

  get epoch(): string {
    return this.progress.epoch;
  }

  passOn(receiver: ChangeReceiver): void {
    this.intake.passOn(receiver);
  }

  /** Call once the stream is open, with the newest entry, before it is read. */
  async start(lastId: string): Promise<void> {
    const { stream } = this.parts;
    this.progress.begin(await stream.epoch(newEpoch(Date.now())), lastId);
    await this.lostNodes.readIntents(lastId, (message, place) => {
      try {
        this.intake.take(message, place);
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
    this.isStopped = true;
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

  release(name: CollectionName, client?: string): void {
    this.covers.release(name, client);
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
    if (position === undefined) throw clusterErrors.unavailable({ reason: 'the change log is unavailable' });
    await stream.trimBefore(position.entryId);
  }

  async oldest(name: CollectionName): Promise<Cursor | undefined> {
    const since = this.covers.sinceOf(toCollectionKey(name));
    if (since === undefined) return undefined;
    const from = toCursor(this.epoch, since, 0);
    const first = toCursor(this.epoch, await this.parts.stream.firstId(), 0);
    return from > first ? from : first;
  }

  /** Of the whole stream. */
  async size(): Promise<ChangeLogSize> {
    const { stream } = this.parts;
    const [bytes, firstId] = await Promise.all([stream.bytes(), stream.firstId()]);
    const oldestAtMs = timeOf(firstId);
    return { bytes, oldestAtMs: oldestAtMs === 0 ? null : oldestAtMs };
  }

  check(cursor: string): Cursor {
    return this.progress.check(cursor);
  }

  changesAfter(name: CollectionName, after: Cursor, limits: ReplayLimits): ReturnType<ChangeLog['changesAfter']> {
    return this.replays.changesAfter(name, after, limits);
  }

  netChangesAfter(name: CollectionName, after: Cursor, limits: ReplayLimits): ReturnType<ChangeLog['netChangesAfter']> {
    return this.replays.netChangesAfter(name, after, limits);
  }

  /** Redis was unavailable. @param epoch another one: entries that were there are gone */
  reconnected(lastId: string, epoch: string): void {
    if (epoch === this.epoch) return;
    this.adopt(epoch, lastId);
    this.parts.link.send(EPOCH, epoch, '');
  }

  /** Another node needs to know what is recorded. */
  sendCovers(): void {
    this.covers.announceAll();
  }

  /** Messages of a node were lost. */
  missed(nodeId: string): void {
    this.progress.missed();
    this.lostNodes.missed(nodeId);
  }

  /** Messages of this node were dropped before they were sent. */
  dropped(): void {
    const { link } = this.parts;
    this.intents.closeAll(link.nodeId);
    link.echoes.release();
  }

  /** Messages of this node are missing in the stream, with what they recorded. */
  lostOwn(): void {
    this.parts.link.send(LOST, '', 'messages of a node were lost');
  }

  /** A node is gone. */
  left(nodeId: string, how: 'stopped' | 'died'): void {
    this.lostNodes.left(nodeId, how);
    this.covers.left(nodeId, how);
  }

  /** A beat has come back: Redis is there, and has everything that this node sent before. */
  reached(number: number): void {
    if (!this.holes.areBefore(number)) return;
    this.lostNodes.unrecorded.unmark().catch(() => undefined);
  }

  private adopt(epoch: string, entryId?: string): void {
    this.progress.begin(epoch, entryId);
    this.holes.areBack('', Infinity);
    this.intake.lost('Redis has lost messages between nodes');
    this.covers.restart();
    void this.covers.exchange().catch(() => undefined);
  }

  private async refresh(): Promise<void> {
    const { stream, history, deadAfterMs } = this.parts;
    try {
      for (const key of await this.covers.exchange()) this.progress.forget(key);
      // Living nodes have read what is older.
      await stream.trimOlderThan(Math.max(history.maxAgeMs, 2 * deadAfterMs));
      await this.lostNodes.findUnrecorded();
    } catch {
      // The stream or the storage is unavailable: the next time.
    }
  }
}

/** The engine with a change log that records its writes. */
function recordWrites(
  engine: StorageEngine,
  changeLog: ChangeLog,
  { writes, removals, namesIn, holes }: Recorders,
): StorageEngine {
  const recording: Partial<StorageEngine> = {
    changeLog,
    write: (operations, refresh, stamp, origin) => writes.write(operations, { refresh, stamp, origin }),
    truncate: (name, origin) => removals.remove([name], () => engine.truncate(name), origin),
    deleteCollection: (name, origin) => removals.remove([name], () => engine.deleteCollection(name), origin),
    // Collections that aren't recorded yet wait for it.
    deleteIndex: (index, origin) =>
      holes.track(removals.remove(namesIn(index), () => engine.deleteIndex(index), origin)),
  };
  return new Proxy(engine, {
    get: (target, name) => {
      if (Object.hasOwn(recording, name)) return Reflect.get(recording, name) as unknown;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
