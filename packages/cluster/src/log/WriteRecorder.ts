/*
 * Records writes to covered collections in the stream. Elasticsearch and Redis have no common transaction, so a write
 * takes four steps: an intent goes through the stream; the write waits for earlier intents on its documents; it is made,
 * on the condition that the documents are as they were read; its changes go through the stream. If the node dies in
 * between, or the storage doesn't answer, subscribers receive a gap. The outcome is returned when the changes have come
 * back, hence after this node's subscribers were notified.
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
import { CHANGE, DONE, INTENT, type ChangeBody } from './logMessages.js';

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

  /** @returns undefined if it was not made: the others have closed the intent, because this node was silent */
  private async attempt(
    attempts: readonly Attempt[],
    options: WriteOptions,
  ): Promise<readonly WriteOutcome[] | undefined> {
    const { engine, echoes, intents, nodeId, send, turnWithinMs, holes } = this.parts;
    const { refresh, stamp, origin } = options;
    const about = aboutOf(options);
    const recorded = attempts.filter(({ isRecorded }) => isRecorded);
    const documents = recorded.map(({ planned }) => [toCollectionKey(planned), planned.id]);
    const keys = () => [...new Set(recorded.map(({ planned }) => toCollectionKey(planned)))];
    const intent = send(INTENT, JSON.stringify(documents), '');
    const write = () =>
      engine.write(attempts.map(({ conditional }) => conditional), refresh, stamp, origin);
    const complete = () => send(DONE, String(intent), '');
    const isBack = await echoes.back(intent);
    const turn = isBack ? await intents.turn(`${nodeId}:${intent}`, turnWithinMs) : 'late';
    if (turn === 'closed') return undefined;
    if (turn === 'late') return holes.write(keys(), write).finally(complete);
    let outcomes: readonly WriteOutcome[];
    try {
      outcomes = await write();
    } catch (error) {
      if (isOutage(error)) holes.reportLater(keys(), complete);
      else complete();
      throw error;
    }
    const numbers = attempts.map((attempt, i) => {
      const change = toChange(attempt, outcomes[i] as WriteOutcome, about);
      if (change === undefined) return undefined;
      const number = send(CHANGE, `${intent} ${toCollectionKey(attempt.planned)}`, JSON.stringify(change));
      echoes.expect(number);
      return number;
    });
    if (isUnanswered(outcomes)) holes.reportLater(keys(), complete);
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
function aboutOf({ stamp, origin }: WriteOptions): Pick<ChangeBody, 'atMs' | 'origin' | 'isSilent'> {
  const shown = origin ? { requestId: origin.requestId, metadata: origin.metadata } : null;
  return { atMs: stamp?.atMs ?? Date.now(), origin: shown, isSilent: origin === null };
}
