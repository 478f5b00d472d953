/*
 * Agrees with the other nodes on the recorded collections. Each node is asked to record a collection, and answers when
 * the writes that it began without a record have ended. Redis keeps the list over restarts.
 *
 * Collections without subscriptions are recorded for some time, and clients can invent their names. A node that has
 * released too many ends one: it asks the others whether they have a subscription to it, removes it from Redis, and
 * says so in the stream, so that all nodes end it at one position. A node that has got a subscription meanwhile has it
 * recorded again, with a gap. `cover` asks all nodes each time, so a collection that one node has ended is never taken
 * for recorded.
 */
import { readCollectionKey, SharedPlaces, toCollectionKey, type CollectionName } from '@millrace/kernel';
import type { LogStore } from '../LogStore.js';
import { Covers } from './Covers.js';
import type { LogHistory, LogLink } from './LogLink.js';
import { COVERED, LOST, UNCOVERED } from './logMessages.js';

/** A question: record this collection. The answer is one of the following. */
const COVER = 'log.cover';
const ENDED = 'the recording ended while a subscription began';
const NOT_ASKED = 'another node did not know of a subscription until now';
const NOT_ANSWERED = 'a node died that may not have known of a subscription';
const KNOWN = 'known';
const NEW = 'new';
/** A question: is there no subscription to this collection? */
const IDLE = 'log.idle';
const YES = 'yes';
const NO = 'no';
/** Collections that this node has released, and that are still recorded: some 1.3 KB each on this node with long names. */
const MAX_IDLE = 10_000;

/** Dependencies of `CoverSharing`. */
export interface CoverSharingParts {
  readonly link: LogLink;
  readonly stream: LogStore;
  readonly history: LogHistory;
  readonly internalIndex: string;
  /** Resolves when the writes that began without a record have ended. */
  readonly unrecordedEnded: () => Promise<void>;
  /** Collections of this node that may be recorded without subscriptions. Default: 10,000. */
  readonly maxIdle?: number;
}

export class CoverSharing {
  private readonly covers: Covers;
  /** Recorded collections that this node has released, by the client of the last subscription. */
  private readonly idle: SharedPlaces<string>;
  /** Nodes that live and have not answered to `log.cover`: until they read `log.covered`, they don't record. */
  private readonly silent = new Set<string>();
  /** Those that ended during the present exchange, which may have read them before. */
  private readonly endedMeanwhile = new Set<string>();

  constructor(private readonly parts: CoverSharingParts) {
    const { history, link, maxIdle = MAX_IDLE } = parts;
    this.covers = new Covers(history.maxAgeMs);
    this.idle = new SharedPlaces(maxIdle);
    const { collections } = history;
    if (typeof collections !== 'string') for (const key of collections) this.covers.held.add(key);
    link.answer(COVER, (key) => this.answer(key));
    link.answer(IDLE, async (key) => (this.covers.held.has(key) ? NO : YES));
  }

  /** Between two calls of `exchange`, in milliseconds. */
  get refreshMs(): number {
    return this.covers.refreshMs;
  }

  isRecorded({ index, collection }: CollectionName): boolean {
    const { history, internalIndex } = this.parts;
    if (history.collections === 'all') return index !== internalIndex;
    return !this.covers.isEmpty && this.covers.has(toCollectionKey({ index, collection }));
  }

  /** The recorded collections of an index. */
  recordedIn(index: string): readonly CollectionName[] {
    const keys = [...this.covers.keys()].filter((key) => key.startsWith(`${index}/`));
    return keys.map(readCollectionKey);
  }

  /** The entry from which on all nodes record the collection. */
  sinceOf(key: string): string | undefined {
    const isAll = this.parts.history.collections === 'all';
    return this.covers.sinceOf(key) ?? (isAll ? '0-0' : undefined);
  }

  /** Records those of the configuration. */
  async coverConfigured(): Promise<void> {
    for (const key of this.covers.held) await this.cover(readCollectionKey(key));
  }

  /** See `ChangeLog.cover`. */
  async cover(name: CollectionName): Promise<void> {
    const { link, unrecordedEnded } = this.parts;
    const key = toCollectionKey(name);
    this.covers.held.add(key);
    this.idle.delete(key);
    let isKnown = this.covers.has(key);
    this.covers.add(key, Date.now());
    await unrecordedEnded();
    // Before the others are asked: a node that joins now reads it, or is asked.
    await this.store(key);
    const asked = new Set<string>();
    while (link.echoes.isWorking) {
      const others = link.others().filter((id) => !asked.has(id));
      if (others.length === 0) break;
      for (const id of others) asked.add(id);
      const answers = await Promise.all(others.map((id) => this.ask(id, COVER, key, NEW, KNOWN)));
      isKnown &&= answers.every((answer) => answer === KNOWN);
    }
    // All recorded it before. The answers came after an earlier `log.covered`, so `since` is known by now: another message
    // would move it, and the cursors of before would be refused.
    if (isKnown && this.covers.sinceOf(key) !== undefined) return;
    await link.echoes.back(link.send(COVERED, key, ''));
    await this.store(key);
  }

  /** See `ChangeLog.release`. */
  release(name: CollectionName, client = ''): void {
    const key = toCollectionKey(name);
    const { collections } = this.parts.history;
    const isConfigured = typeof collections !== 'string' && collections.includes(key);
    if (isConfigured) return;
    this.covers.held.delete(key);
    const excess = this.idle.add(key, client);
    if (excess !== undefined) void this.uncover(excess);
  }

  /** Takes `log.covered`. */
  take(key: string, since: string, entryId: string): void {
    readCollectionKey(key);
    const { link, unrecordedEnded } = this.parts;
    if (since !== '') {
      const isNew = /^\d+-\d+$/.test(since) && this.covers.sinceOf(key) === undefined;
      if (isNew) this.covers.setSince(key, since, Date.now());
      return;
    }
    const wasRecorded = this.covers.has(key);
    this.covers.setSince(key, entryId, Date.now());
    // This node was not asked: its earlier writes are not recorded.
    if (!wasRecorded) void unrecordedEnded().then(() => link.send(LOST, key, NOT_ASKED));
  }

  /** Takes `log.uncovered`. */
  takeUncovered(key: string): void {
    const name = readCollectionKey(key);
    this.covers.delete(key);
    this.idle.delete(key);
    this.endedMeanwhile.add(key);
    if (!this.covers.held.has(key)) return;
    this.parts.link.send(LOST, key, ENDED);
    void this.cover(name);
  }

  /** A node is gone. If it has not read that a collection is recorded, its last changes are missing. */
  left(nodeId: string, how: 'stopped' | 'died'): void {
    // A node that stops has reported its changes before.
    if (this.silent.delete(nodeId) && how === 'died') this.parts.link.send(LOST, '', NOT_ANSWERED);
  }

  /** Another node needs to know what is recorded. */
  announceAll(): void {
    for (const key of this.covers.keys()) {
      const since = this.covers.sinceOf(key);
      if (since !== undefined) this.parts.link.send(COVERED, key, since);
    }
  }

  /** The log has another epoch: it is complete from its beginning. */
  restart(): void {
    this.covers.restart();
  }

  /** Stores what this node holds, and reads what all hold. @returns the collections that are not recorded any more */
  async exchange(): Promise<readonly string[]> {
    const { stream } = this.parts;
    for (const key of this.covers.held) {
      if (this.covers.has(key)) await stream.putCover(key, this.covers.encode(key, Date.now()));
    }
    this.endedMeanwhile.clear();
    for (const [key, value] of await stream.covers()) {
      if (!this.endedMeanwhile.has(key)) this.covers.decode(key, value);
    }
    const ended = this.covers.expire(Date.now());
    for (const key of ended) {
      this.idle.delete(key);
      await stream.dropCover(key);
    }
    return ended;
  }

  /** Ends the recording of a collection, unless a node has a subscription or doesn't answer: then it ends by age. */
  private async uncover(key: string): Promise<void> {
    const { link, stream } = this.parts;
    const asked = link.others().map((id) => this.ask(id, IDLE, key, NO, YES));
    const answers = await Promise.all(asked);
    if (!answers.every((answer) => answer === YES) || this.covers.held.has(key)) return;
    try {
      // Before the message: a node that has taken it doesn't read the collection again.
      await stream.dropCover(key);
    } catch {
      return;
    }
    if (!this.covers.held.has(key)) link.send(UNCOVERED, key, '');
  }

  /**
   * @param unanswered the answer of a living node that gives none. To `log.cover`: it reads the message in the stream,
   *   and reports the hole
   * @param gone the answer of a dead node, which writes nothing more and has no subscriptions
   */
  private async ask(id: string, question: string, key: string, unanswered: string, gone: string): Promise<string> {
    const { link } = this.parts;
    try {
      const answer = await link.ask(id, question, key);
      // It has read what was sent before the question.
      this.silent.delete(id);
      return answer;
    } catch {
      if (!link.others().includes(id)) return gone;
      if (question === COVER) this.silent.add(id);
      return unanswered;
    }
  }

  private async answer(key: string): Promise<string> {
    readCollectionKey(key);
    const isKnown = this.covers.add(key, Date.now());
    await this.parts.unrecordedEnded();
    return isKnown ? KNOWN : NEW;
  }

  private async store(key: string): Promise<void> {
    const value = this.covers.encode(key, Date.now());
    // If Redis is unavailable, the next exchange stores it.
    await this.parts.stream.putCover(key, value).catch(() => undefined);
  }
}
