/*
 * The change log of a cluster (docs/decisions/0032): the stream between the nodes, in its order. All nodes read it and
 * pass its changes on to their subscribers in that order; a cursor is a place in the stream.
 */
import {
  clusterErrors,
  malformedMessage,
  readCollectionKey,
  realtimeErrors,
  toCollectionKey,
  type ChangeLog,
  type ChangeReceiver,
  type CollectionName,
  type Cursor,
  type LoggedChange,
  type LoggedWipe,
  type Logger,
  type NetChange,
  type Replay,
  type ReplayLimits,
  type StorageEngine,
} from '@millrace/kernel';
import type { LogStore } from '../redis/LogStore.js';
import { Covers } from './Covers.js';
import type { Echoes } from './Echoes.js';
import { Intents } from './Intents.js';
import { LogReader, type LogRange } from './LogReader.js';
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
  RESOLVE,
  readScope,
  UNRECORDED,
  WIPED,
} from './logMessages.js';
import { IntentResolver } from './IntentResolver.js';
import { END_OF_ENTRY, newEpoch, parseCursor, timeOf, toCursor } from './positions.js';
import { decodeEntry, type NodeMessage } from '../link/wire.js';
import { recordWrites } from './recordWrites.js';
import { UnrecordedWrites } from './UnrecordedWrites.js';
import { WriteRecorder } from './WriteRecorder.js';

/** What the log records, and for how long. */
export interface LogHistory {
  /** Milliseconds. */
  readonly maxAgeMs: number;
  /** `subscribed`, `all`, or a list of `index/collection`. */
  readonly collections: 'subscribed' | 'all' | readonly string[];
}

/** The link, as the log uses it. */
export interface LogLink {
  readonly nodeId: string;
  readonly echoes: Echoes;
  /** @returns the number of the message */
  send(topic: string, key: string, body: string): number;
  others(): readonly string[];
  ask(nodeId: string, topic: string, body: string): Promise<string>;
  answer(topic: string, handle: (body: string) => Promise<string>): void;
  synced(): Promise<unknown> | undefined;
  nowMs(): number;
}

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

/** A question: record this collection. The answer is one of the following. */
const COVER = 'log.cover';
const KNOWN = 'known';
const NEW = 'new';
const MAX_RESOLVED = 10_000;
const LOOK_BACK_MS = 120_000;
const LOOK_BACK_COUNT = 100;
/** In addition to the time after which a node is declared dead. */
const TURN_MARGIN_MS = 5_000;
const CATCH_UP_MS = 2_000;
/** A cursor may come from a node that is so much ahead of this one. */
const MAX_AHEAD_MS = 60_000;

/** Passes changes on, and reads them again. See `ChangeLog`. */
export class RedisChangeLog implements ChangeLog {
  /** The engine that records. */
  readonly engine: StorageEngine;
  private readonly covers: Covers;
  private readonly intents = new Intents();
  private readonly reader: LogReader;
  private readonly recorder: WriteRecorder;
  private readonly resolver: IntentResolver;
  private readonly unrecorded: UnrecordedWrites;
  /** Intents that another node than their own has completed, with the places of the changes it has recorded. */
  private readonly resolved = new Map<string, ReadonlySet<string>>();
  /** Nodes some of whose messages this one has missed. */
  private readonly uncertain = new Set<string>();
  private readonly lastChange = new Map<string, Cursor>();
  /** Every change after this position was taken by this node. */
  private lastOfAll: Cursor = '';
  private receiver: ChangeReceiver | undefined;
  private current = '';
  private lastEntryId = '0-0';
  private arrivals: (() => void)[] = [];
  private timer: NodeJS.Timeout | undefined;
  private sequence = 0;

  constructor(private readonly parts: RedisChangeLogParts) {
    const { link, stream, history, engine, deadAfterMs, internalIndex } = parts;
    this.covers = new Covers(history.maxAgeMs);
    this.reader = new LogReader(stream);
    const { nodeId, echoes } = link;
    const { intents } = this;
    const send = (...message: [string, string, string]) => link.send(...message);
    const isAlive = (id: string) => link.others().includes(id);
    this.resolver = new IntentResolver({
      engine,
      nodeId,
      intents,
      send,
      isAlive,
      logger: parts.logger,
    });
    this.unrecorded = new UnrecordedWrites(engine, nodeId, internalIndex);
    this.recorder = new WriteRecorder({
      engine,
      nodeId,
      intents,
      echoes,
      send,
      resolve: (ref) => this.resolve(ref),
      markUnrecorded: () => this.unrecorded.mark(),
      isInternal: ({ index }) => index === internalIndex,
      isRecorded: (name) => this.isRecorded(name),
      recordedIn: (index) => [...this.covers.keys()].filter((key) => key.startsWith(`${index}/`)),
      turnWithinMs: deadAfterMs + TURN_MARGIN_MS,
    });
    this.engine = recordWrites(engine, this, this.recorder);
    const { collections } = history;
    if (typeof collections !== 'string') for (const key of collections) this.covers.held.add(key);
    this.internalPrefix = `${internalIndex}/`;
    link.answer(COVER, (key) => this.answerCover(key));
  }

  private readonly internalPrefix: string;

  get epoch(): string {
    return this.current;
  }

  passOn(receiver: ChangeReceiver): void {
    this.receiver = receiver;
  }

  /** Call once the stream is open, with the newest entry, before it is read. */
  async start(lastId: string): Promise<void> {
    const { stream } = this.parts;
    this.current = await stream.epoch(newEpoch(Date.now()));
    this.lastEntryId = lastId;
    this.lastOfAll = this.head();
    await this.readOpenIntents();
    await this.exchangeCovers();
    this.timer = setInterval(() => void this.refresh(), this.covers.refreshMs).unref();
  }

  /** Call when all nodes know this one. */
  async whenJoined(): Promise<void> {
    const others = this.parts.link.others();
    const gone = new Set([...this.intents.nodeIds(), ...(await this.unrecorded.nodeIds())]);
    for (const id of gone) if (!others.includes(id)) this.left(id, 'died');
    for (const key of this.covers.held) await this.cover(readCollectionKey(key));
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
    this.resolver.stop();
  }

  cursorAt(entryId: string, place: number): Cursor {
    return toCursor(this.current, entryId, place);
  }

  head(): Cursor {
    return toCursor(this.current, this.lastEntryId, END_OF_ENTRY);
  }

  async cover(name: CollectionName): Promise<void> {
    const { link, stream } = this.parts;
    const key = toCollectionKey(name);
    this.covers.held.add(key);
    let isKnown = this.covers.add(key, Date.now());
    await this.recorder.unrecordedEnded();
    // Before the others are asked: a node that joins now reads it, or is asked.
    await stream.putCover(key, this.covers.encode(key, Date.now())).catch(() => undefined);
    const asked = new Set<string>();
    while (link.echoes.isWorking) {
      const others = link.others().filter((id) => !asked.has(id));
      if (others.length === 0) break;
      for (const id of others) asked.add(id);
      // A node that doesn't answer reads of it in the stream, and marks the hole.
      const answers = await Promise.all(others.map((id) => link.ask(id, COVER, key).catch(() => NEW)));
      isKnown &&= answers.every((answer) => answer === KNOWN);
    }
    if (isKnown) return;
    await link.echoes.back(link.send(COVERED, key, ''));
    await stream.putCover(key, this.covers.encode(key, Date.now())).catch(() => undefined);
  } // prettier-ignore

  release(name: CollectionName): void {
    const key = toCollectionKey(name);
    const { collections } = this.parts.history;
    if (typeof collections !== 'string' && collections.includes(key)) return;
    this.covers.held.delete(key);
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
    const position = parseCursor(cursor);
    if (position === undefined) throw invalid(`got ${JSON.stringify(cursor.slice(0, 40))}`);
    const { epoch, entryId } = position;
    if (epoch === this.current && timeOf(entryId) > timeOf(this.lastEntryId) + MAX_AHEAD_MS)
      throw tooLate();
    return cursor;
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

  /** Takes a message of the stream, each once, in its order. */
  take({ topic, key, body, number }: NodeMessage, { entryId, place, from }: Place): void {
    const cursor = toCursor(this.current, entryId, place);
    switch (topic) {
      case INTENT: {
        const ref = `${from}:${number}`;
        const documents = readIntentKey(key);
        return this.intents.add({ ref, nodeId: from, documents, body, logged: new Set() });
      }
      case DONE:
        return this.takeDone(key, from);
      case RESOLVE:
        return this.resolver.take(key, from);
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
        return this.takeCovered(key, body, entryId);
      case EPOCH:
        if (key > this.current && /^[0-9a-z]{8}$/.test(key)) this.adopt(key);
        return undefined;
      default:
        throw malformedMessage('a message of the change log');
    }
  }

  /** All messages of an entry have been taken. */
  taken(entryId: string): void {
    this.lastEntryId = entryId;
    this.receiver?.reached(this.head());
    const all = this.arrivals;
    this.arrivals = [];
    for (const arrive of all) arrive();
  }

  /** Redis was away. @param hasLost entries that were there are gone */
  async reconnected(lastId: string, hasLost: boolean): Promise<void> {
    const { stream, link } = this.parts;
    const fresh = newEpoch(Date.now());
    const epoch = hasLost ? await stream.replaceEpoch(this.current, fresh) : await stream.epoch(fresh);
    if (epoch === this.current) return;
    this.lastEntryId = hasLost ? '0-0' : lastId;
    this.adopt(epoch);
    link.send(EPOCH, epoch, '');
  } // prettier-ignore

  /** Another node needs to know what is recorded. */
  tellCovers(): void {
    for (const key of this.covers.keys()) {
      const since = this.covers.sinceOf(key);
      if (since !== undefined) this.parts.link.send(COVERED, key, since);
    }
  }

  /** Messages of a node were lost. */
  missed(nodeId: string): void {
    this.lastOfAll = this.head();
    this.uncertain.add(nodeId);
    this.intents.closeAll(nodeId);
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
    this.resolver.left(nodeId);
    if (this.uncertain.delete(nodeId)) this.lost();
    // A node that stops has sent everything before.
    if (how === 'stopped') return;
    const found = (isMarked: boolean) => void (isMarked && this.lost());
    this.unrecorded.take(nodeId).then(found, () => this.lost());
  }

  /** A beat has come back: Redis is there, and has everything that waited for it. */
  reached(number: number): void {
    if (this.recorder.hasLeftHoles(number)) this.unrecorded.unmark().catch(() => undefined);
  }

  private lost(): void {
    this.parts.link.send(LOST, '', 'a node died: its last changes may be missing');
  }

  private resolve(ref: string): void {
    const intent = this.intents.find(ref);
    if (intent !== undefined) void this.resolver.resolve(intent);
    else this.parts.link.send(DONE, ref.slice(ref.indexOf(':') + 1), '');
  }

  private takeDone(key: string, from: string): void {
    if (!key.includes(':')) return this.intents.close(`${from}:${key}`);
    this.resolved.set(key, this.intents.find(key)?.logged ?? new Set());
    if (this.resolved.size > MAX_RESOLVED) {
      for (const oldest of this.resolved.keys()) {
        this.resolved.delete(oldest);
        break;
      }
    }
    this.intents.close(key);
  }

  /** Those of before this node's start. They are no older than their writes, which end by their time limit. */
  private async readOpenIntents(): Promise<void> {
    const { stream } = this.parts;
    const upTo = this.lastEntryId;
    for (let from = `${Math.max(0, timeOf(upTo) - LOOK_BACK_MS)}-0`; ;) {
      const entries = await stream.range(from, upTo, LOOK_BACK_COUNT);
      for (const { id, fields } of entries) {
        const entry = decodeEntry(fields);
        for (const message of entry?.messages ?? []) {
          const { topic } = message;
          if (entry === undefined || (topic !== INTENT && topic !== DONE && topic !== CHANGE))
            continue;
          try {
            this.take(message, { entryId: id, place: 0, from: entry.from });
          } catch {
            // Malformed.
          }
        }
      }
      const last = entries.at(-1);
      if (last === undefined) return;
      from = `(${last.id}`;
    }
  }

  private isRecorded({ index, collection }: CollectionName): boolean {
    const { history } = this.parts;
    if (history.collections === 'all') return `${index}/` !== this.internalPrefix;
    return !this.covers.isEmpty && this.covers.has(toCollectionKey({ index, collection }));
  }

  private async answerCover(key: string): Promise<string> {
    readCollectionKey(key);
    const isKnown = this.covers.add(key, Date.now());
    await this.recorder.unrecordedEnded();
    return isKnown ? KNOWN : NEW;
  }

  private takeChange(
    key: string,
    body: string,
    { cursor, from }: { readonly cursor: Cursor; readonly from: string },
  ): void {
    const { ref, collection } = readRefKey(key);
    const [intentRef = '', place = ''] = ref.split('.');
    const fullRef = intentRef.includes(':') ? intentRef : `${from}:${intentRef}`;
    this.noteChange(collection, cursor);
    if (fullRef.startsWith(`${from}:`) && this.resolved.get(fullRef)?.has(place) === true) {
      // Its node was declared dead and lives: others have recorded this change already.
      if (from === this.parts.link.nodeId) this.parts.link.send(HOLE, collection, '');
      return;
    }
    this.intents.find(fullRef)?.logged.add(place);
    const name = readCollectionKey(collection);
    this.receiver?.changed(name, cursor, () => {
      const { id, before, after, origin, atMs } = readChangeBody(body);
      const version = after?.version ?? before?.version ?? 0;
      if (origin === null) return null;
      const documents = { before: before?.source ?? null, after: after?.source ?? null };
      const meta = { metaBefore: before?.meta ?? null, metaAfter: after?.meta ?? null };
      const sequence = ++this.sequence;
      return { change: { ...name, id, version, sequence, ...documents, ...meta, origin, cursor }, atMs };
    });
  } // prettier-ignore

  /** @param key empty: of all collections */
  private noteChange(key: string, cursor: Cursor): void {
    if (key === '') this.lastOfAll = cursor;
    else if (this.covers.has(key) || this.parts.history.collections === 'all')
      this.lastChange.set(key, cursor);
  }

  private takeCovered(key: string, since: string, entryId: string): void {
    readCollectionKey(key);
    const { link } = this.parts;
    if (since !== '') {
      if (/^\d+-\d+$/.test(since) && this.covers.sinceOf(key) === undefined)
        this.covers.setSince(key, since, Date.now());
      return;
    }
    const wasRecorded = this.covers.has(key);
    this.covers.setSince(key, entryId, Date.now());
    // This node was not asked: its writes before are missing.
    if (!wasRecorded) void this.recorder.unrecordedEnded().then(() => link.send(HOLE, key, ''));
  }

  private adopt(epoch: string): void {
    this.current = epoch;
    this.covers.restart();
    this.lastChange.clear();
    this.lastOfAll = this.head();
    void this.exchangeCovers().catch(() => undefined);
  }

  /** The range to read; or why there is none, or nothing in it. */
  private async rangeAfter(
    name: CollectionName,
    cursor: Cursor,
  ): Promise<LogRange | { gap: 'epoch_changed' | 'not_recorded' | 'node_lost' } | { head: Cursor; changes: [] }> {
    const after = parseCursor(this.check(cursor));
    if (after === undefined || after.epoch !== this.current) return { gap: 'epoch_changed' };
    // The node that this cursor comes from may be ahead.
    if (!(await this.catchUp())) return { gap: 'node_lost' };
    const epoch = this.current;
    if (after.epoch !== epoch) return { gap: 'epoch_changed' };
    const head = this.head();
    if (cursor > head) throw tooLate();
    const key = toCollectionKey(name);
    const isAll = this.parts.history.collections === 'all';
    const since = this.covers.sinceOf(key) ?? (isAll ? '0-0' : undefined);
    if (since === undefined || cursor < toCursor(epoch, since, 0)) return { gap: 'not_recorded' };
    const lastChange = this.lastChange.get(key) ?? '';
    if (cursor >= lastChange && cursor >= this.lastOfAll) return { head, changes: [] };
    return { key, epoch, after, upTo: this.lastEntryId, head };
  } // prettier-ignore

  /** Waits until this node has read everything that is in the stream now. @returns false if Redis is away */
  private async catchUp(): Promise<boolean> {
    const { stream, link } = this.parts;
    const endMs = link.nowMs() + CATCH_UP_MS;
    const lastId = await stream.lastId().catch(() => undefined);
    if (lastId === undefined) return false;
    while (toCursor('', this.lastEntryId, 0) < toCursor('', lastId, 0)) {
      if (link.nowMs() > endMs) return false;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, CATCH_UP_MS).unref();
        this.arrivals.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
    return true;
  }

  private async refresh(): Promise<void> {
    const { stream, history, deadAfterMs } = this.parts;
    try {
      await this.exchangeCovers();
      // Living nodes have read what is older.
      await stream.trimOlderThan(Math.max(history.maxAgeMs, 2 * deadAfterMs));
    } catch {
      // Redis is away: the next time.
    }
  }

  /** Stores what this node holds, and reads what all hold. */
  private async exchangeCovers(): Promise<void> {
    const { stream } = this.parts;
    for (const key of this.covers.held) {
      if (this.covers.has(key)) await stream.putCover(key, this.covers.encode(key, Date.now()));
    }
    for (const [key, value] of await stream.covers()) this.covers.decode(key, value);
    for (const key of this.covers.expire(Date.now())) {
      this.lastChange.delete(key);
      await stream.dropCover(key);
    }
  }
}

function invalid(reason: string): Error {
  return realtimeErrors.invalid_cursor({ field: 'cursor', reason });
}

function tooLate(): Error {
  return invalid('got one that is later than the last change');
}
