/*
 * Records writes to covered collections in the stream. Elasticsearch and Redis have no common transaction, so a write
 * takes four steps: an intent goes through the stream, with the documents as they are; the write waits for earlier
 * intents on its documents; it is made, on the condition that the documents are unchanged; its changes go through the
 * stream. If the node dies in between, another one resolves the intent. The outcome is returned when
 * the changes have come back, hence after this node's subscribers were notified.
 *
 * While Redis is unavailable, writes are made without a record, and the log has a hole. So is a write whose turn doesn't
 * come in time.
 */
import {
  MillraceError,
  runsOfDistinctDocuments,
  toCollectionKey,
  type ChangeOrigin,
  type CollectionName,
  type StorageEngine,
  type WriteOperation,
  type WriteOutcome,
  type WriteStamp,
} from '@millrace/kernel';
import { lostRace, plain, toChange, WritePlan, type Attempt } from './WritePlan.js';
import type { Echoes } from './Echoes.js';
import type { Intents } from './Intents.js';
import { isOutage, isUnanswered } from './isOutage.js';
import type { Holes } from './Holes.js';
import { CHANGE, DONE, INTENT, type IntentBody } from './logMessages.js';

/** Attempts at a write that competes with others. */
const MAX_TRIES = 50;

/** Dependencies of `WriteRecorder`. */
export interface WriteRecorderParts {
  readonly engine: StorageEngine;
  readonly nodeId: string;
  readonly intents: Intents;
  readonly echoes: Echoes;
  readonly holes: Holes;
  /** @returns the number of the message */
  readonly send: (topic: string, key: string, body: string) => number;
  readonly isRecorded: (name: CollectionName) => boolean;
  readonly isInternal: (name: CollectionName) => boolean;
  /** Determines the outcome of a write that failed, and completes its intent. `mayBeLate`: it may still be made. */
  readonly resolve: (ref: string, mayBeLate: boolean) => void;
  /** See `storageSettled`. */
  readonly settled: () => Promise<void>;
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
  private readonly plan: WritePlan;

  constructor(private readonly parts: WriteRecorderParts) {
    this.plan = new WritePlan(parts.engine, parts.isRecorded);
  }

  /** See `StorageEngine.write`. */
  write(operations: readonly WriteOperation[], options: WriteOptions): Promise<readonly WriteOutcome[]> {
    const { engine, isRecorded, echoes, isInternal, holes } = this.parts;
    const { refresh, stamp, origin } = options;
    if (!echoes.isWorking && !operations.every(isInternal)) return this.writeInHole(operations, options);
    if (operations.some(isRecorded)) return this.record(operations, options);
    return holes.track(engine.write(operations.map(plain), refresh, stamp, origin));
  } // prettier-ignore

  private writeInHole(
    operations: readonly WriteOperation[],
    { refresh, stamp, origin }: WriteOptions,
  ): Promise<readonly WriteOutcome[]> {
    const { engine, isRecorded, holes } = this.parts;
    const keys = new Set(operations.filter(isRecorded).map(toCollectionKey));
    const write = () => engine.write(operations.map(plain), refresh, stamp, origin);
    return holes.write([...keys], write);
  }

  private async record(operations: readonly WriteOperation[], options: WriteOptions): Promise<readonly WriteOutcome[]> {
    const outcomes = new Array<WriteOutcome>(operations.length);
    let isFirst = true;
    for (const run of runsOfDistinctDocuments(operations)) {
      let left: readonly number[] = run;
      try {
        for (let tries = 1; left.length > 0; tries++) {
          const attempts = await this.plan.prepare(operations, left);
          const written = await this.attempt(attempts, options);
          if (written === undefined) continue;
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

  /** @returns undefined if it was not made: another node had completed the intent, because this one was silent */
  private async attempt(
    attempts: readonly Attempt[],
    options: WriteOptions,
  ): Promise<readonly WriteOutcome[] | undefined> {
    const { engine, echoes, intents, nodeId, send, turnWithinMs, resolve, holes } = this.parts;
    const { refresh, stamp, origin } = options;
    const about = aboutOf(options);
    const recorded = attempts.filter(({ isRecorded }) => isRecorded);
    const documents = recorded.map(({ planned }) => [toCollectionKey(planned), planned.id]);
    const body: IntentBody = { ...about, befores: recorded.map(({ before }) => before) };
    const intent = send(INTENT, JSON.stringify(documents), JSON.stringify(body));
    const ref = `${nodeId}:${intent}`;
    const write = () =>
      engine.write(attempts.map(({ conditional }) => conditional), refresh, stamp, origin);
    const complete = () => send(DONE, String(intent), '');
    const isBack = await echoes.back(intent);
    const turn = isBack ? await intents.turn(ref, turnWithinMs) : 'late';
    if (turn === 'closed') return undefined;
    if (turn === 'late') {
      const keys = new Set(documents.map(([key = '']) => key));
      return holes.write([...keys], write).finally(complete);
    }
    let outcomes: readonly WriteOutcome[];
    try {
      outcomes = await write();
    } catch (error) {
      resolve(ref, isOutage(error));
      throw error;
    }
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
    if (isUnanswered(outcomes)) resolve(ref, true);
    else await echoes.back(complete());
    return outcomes.map((outcome, i) => {
      const number = numbers[i];
      if (number === undefined || outcome.status === 'failed') return outcome;
      const cursor = echoes.positionOf(number);
      return { ...outcome, isPassedOn: true, ...(cursor !== undefined && { cursor }) };
    });
  } // prettier-ignore
}

/** What the stream says about a write. Its origin may be a whole request. */
function aboutOf({ stamp, origin }: WriteOptions): Omit<IntentBody, 'befores'> {
  const shown = origin ? { requestId: origin.requestId, metadata: origin.metadata } : null;
  return { atMs: stamp?.atMs ?? Date.now(), origin: shown, isSilent: origin === null };
}
