/*
 * Records writes to covered collections in the stream. Elasticsearch and Redis have no common transaction, so a write
 * takes four steps: an intent goes through the stream, with the documents as they are; the write waits for earlier
 * intents on its documents; it is made, on the condition that the documents are unchanged; its changes go through the
 * stream. If the node dies in between, another one finds out what became of the intent. The outcome is returned when
 * the changes have come back, hence after this node's subscribers were notified.
 *
 * While Redis is away, writes are made without a record, and the log has a hole.
 */
import {
  MillraceError,
  runsOfDistinctDocuments,
  storageErrors,
  toCollectionKey,
  type ChangeOrigin,
  type CollectionName,
  type Cursor,
  type StorageEngine,
  type WriteOperation,
  type WriteOutcome,
  type WriteStamp,
} from '@millrace/kernel';
import { parseCount } from '@millrace/query';
import { lostRace, plain, toChange, WritePlan, type Attempt } from './WritePlan.js';
import type { Echoes } from './Echoes.js';
import type { Intents } from './Intents.js';
import { CHANGE, DONE, HOLE, INTENT, WIPED, type IntentBody } from './logMessages.js';

/** Attempts at a write that competes with others. */
const MAX_TRIES = 50;
const EVERYTHING = parseCount({});

/** Dependencies of `WriteRecorder`. */
export interface WriteRecorderParts {
  readonly engine: StorageEngine;
  readonly nodeId: string;
  readonly intents: Intents;
  readonly echoes: Echoes;
  /** @returns the number of the message */
  readonly send: (topic: string, key: string, body: string) => number;
  readonly isRecorded: (name: CollectionName) => boolean;
  readonly isInternal: (name: CollectionName) => boolean;
  /** The keys of the recorded collections of an index. */
  readonly recordedIn: (index: string) => readonly string[];
  /** Finds out what became of a write that the storage didn't answer, and completes its intent. */
  readonly resolve: (ref: string) => void;
  /** To be awaited before a write while Redis is away. */
  readonly markUnrecorded: () => Promise<void>;
  /** How long a write waits for earlier ones to the same documents, in milliseconds. */
  readonly turnWithinMs: number;
}

/** The arguments of `StorageEngine.write` after the operations. */
interface WriteOptions {
  readonly refresh: boolean;
  readonly stamp: WriteStamp | undefined;
  readonly origin: ChangeOrigin | null | undefined;
}

/** Makes writes, and records those to covered collections. */
export class WriteRecorder {
  private readonly unrecorded = new Set<Promise<unknown>>();
  private readonly plan: WritePlan;
  private holes = 0;
  private lastHole = 0;

  constructor(private readonly parts: WriteRecorderParts) {
    this.plan = new WritePlan(parts.engine, parts.isRecorded);
  }

  /** Resolves when the writes that began without a record have ended. */
  async unrecordedEnded(): Promise<void> {
    await Promise.allSettled([...this.unrecorded]);
  }

  /** Whether all writes that were made while Redis was away were followed by a message with this number. */
  hasLeftHoles(number: number): boolean {
    return this.holes === 0 && number > this.lastHole;
  }

  /** See `StorageEngine.write`. */
  write(operations: readonly WriteOperation[], options: WriteOptions): Promise<readonly WriteOutcome[]> {
    const { engine, isRecorded, echoes, isInternal } = this.parts;
    const { refresh, stamp, origin } = options;
    if (!echoes.isWorking && !operations.every(isInternal)) return this.writeInHole(operations, options);
    if (operations.some(isRecorded)) return this.record(operations, options);
    return this.track(engine.write(operations.map(plain), refresh, stamp, origin));
  } // prettier-ignore

  /**
   * Removes all documents of collections at once.
   * @returns the position of the removal if it was recorded, '' if that is unknown
   */
  async wipe(
    names: readonly CollectionName[],
    work: () => Promise<Cursor | undefined | void>,
  ): Promise<Cursor | undefined | void> {
    const { echoes, isRecorded, send } = this.parts;
    const keys: string[] = [];
    for (const name of names) {
      if (isRecorded(name) && !(await this.isEmpty(name))) keys.push(toCollectionKey(name));
    }
    if (keys.length === 0) return this.track(work());
    if (!echoes.isWorking) return this.inHole(keys, work);
    const intent = send(INTENT, JSON.stringify(keys.map((key) => [key])), '');
    let last = intent;
    let cursor: Cursor | undefined;
    try {
      await echoes.back(intent);
      await work();
    } finally {
      // Also after a failure: it may have been made.
      for (const key of keys) last = send(WIPED, `${intent} ${key}`, '');
      echoes.expect(last);
      await echoes.back(send(DONE, String(intent), ''));
      cursor = echoes.positionOf(last);
    }
    return cursor ?? '';
  }

  /** The recorded collections of an index. */
  namesIn(index: string): readonly CollectionName[] {
    const collectionOf = (key: string) => key.slice(index.length + 1);
    return this.parts.recordedIn(index).map((key) => ({ index, collection: collectionOf(key) }));
  }

  private async track<T>(work: Promise<T>): Promise<T> {
    this.unrecorded.add(work);
    try {
      return await work;
    } finally {
      this.unrecorded.delete(work);
    }
  }

  private async isEmpty({ index, collection }: CollectionName): Promise<boolean> {
    const { engine } = this.parts;
    if (!(await engine.hasCollection({ index, collection }))) return true;
    // A count sees what searches see.
    await engine.refresh(index);
    return (await engine.count({ index, collection }, EVERYTHING)) === 0;
  }

  private writeInHole(
    operations: readonly WriteOperation[],
    { refresh, stamp, origin }: WriteOptions,
  ): Promise<readonly WriteOutcome[]> {
    const { engine, isRecorded } = this.parts;
    const keys = new Set(operations.filter(isRecorded).map(toCollectionKey));
    const write = () => this.track(engine.write(operations.map(plain), refresh, stamp, origin));
    return this.inHole([...keys], write);
  }

  /** The hole begins before the write, and ends after it: what other nodes record in between has a position. */
  private async inHole<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
    const mark = () => {
      for (const key of keys) this.lastHole = this.parts.send(HOLE, key, '');
    };
    this.holes++;
    mark();
    try {
      await this.parts.markUnrecorded();
      return await work();
    } finally {
      this.holes--;
      mark();
    }
  }

  private async record(
    operations: readonly WriteOperation[],
    options: WriteOptions,
  ): Promise<readonly WriteOutcome[]> {
    const outcomes = new Array<WriteOutcome>(operations.length);
    let isFirst = true;
    for (const run of runsOfDistinctDocuments(operations)) {
      let left: readonly number[] = run;
      try {
        for (let tries = 1; left.length > 0; tries++) {
          const attempts = await this.plan.prepare(operations, left);
          const written = await this.attempt(attempts, options);
          const again: number[] = [];
          for (const [i, attempt] of attempts.entries()) {
            const outcome = written[i] as WriteOutcome;
            if (tries < MAX_TRIES && lostRace(attempt, outcome)) again.push(attempt.position);
            else outcomes[attempt.position] = outcome;
          }
          left = again;
          isFirst = false;
        }
      } catch (error) {
        if (isFirst || !(error instanceof MillraceError)) throw error;
        for (const position of left) outcomes[position] = { status: 'failed', error };
      }
    }
    return outcomes;
  }

  private async attempt(
    attempts: readonly Attempt[],
    options: WriteOptions,
  ): Promise<readonly WriteOutcome[]> {
    const { engine, echoes, intents, nodeId, send, turnWithinMs, resolve } = this.parts;
    const { refresh, stamp, origin } = options;
    const about = aboutOf(options);
    const recorded = attempts.filter(({ isRecorded }) => isRecorded);
    const documents = recorded.map(({ planned }) => [toCollectionKey(planned), planned.id]);
    const body: IntentBody = { ...about, befores: recorded.map(({ before }) => before) };
    const intent = send(INTENT, JSON.stringify(documents), JSON.stringify(body));
    const ref = `${nodeId}:${intent}`;
    let isMade = false;
    let isDone = false;
    const write = () =>
      engine.write(attempts.map(({ conditional }) => conditional), refresh, stamp, origin);
    try {
      if (!(await echoes.back(intent))) {
        return await this.inHole([...new Set(documents.map(([key = '']) => key))], write);
      }
      await intents.turn(ref, turnWithinMs);
      isMade = true;
      const outcomes = await write();
      let place = -1;
      const numbers = attempts.map((attempt, i) => {
        if (attempt.isRecorded) place++;
        const change = toChange(attempt, outcomes[i] as WriteOutcome, about);
        if (change === undefined) return undefined;
        const key = `${intent}.${place} ${toCollectionKey(attempt.planned)}`;
        const number = send(CHANGE, key, JSON.stringify(change));
        echoes.expect(number);
        intents.find(ref)?.logged.add(String(place));
        return number;
      });
      isDone = true;
      if (outcomes.some(isUnanswered)) resolve(ref);
      else await echoes.back(send(DONE, String(intent), ''));
      return outcomes.map((outcome, i) => {
        const number = numbers[i];
        if (number === undefined || outcome.status === 'failed') return outcome;
        const cursor = echoes.positionOf(number);
        return { ...outcome, isPassedOn: true, ...(cursor !== undefined && { cursor }) };
      });
    } finally {
      if (!isDone && isMade) resolve(ref);
      else if (!isDone) send(DONE, String(intent), '');
    }
  } // prettier-ignore
}

/** What the stream says about a write. Its origin may be a whole request. */
function aboutOf({ stamp, origin }: WriteOptions): Omit<IntentBody, 'befores'> {
  const shown = origin ? { requestId: origin.requestId, metadata: origin.metadata } : null;
  return { atMs: stamp?.atMs ?? Date.now(), origin: shown, isSilent: origin === null };
}

/** True if the write may have been made although it failed. */
function isUnanswered(outcome: WriteOutcome): boolean {
  return outcome.status === 'failed' && outcome.error.id === storageErrors.unavailable.id;
}
