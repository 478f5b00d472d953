import { failure, SYNTAX_ERROR } from '../keyspace/failure.js';
import type { StreamId, StreamValue } from '../keyspace/values/StreamValue.js';
import { integerAt, wordAt } from '../keyspace/words.js';
import type { Steps } from '../steps/Steps.js';
import { parseId } from './streamIds.js';

/** For an approximate trim, Redis removes whole nodes of this many entries. */
const NODE_ENTRIES = 100;

/** Entries removed in one step. */
const REMOVED_PER_STEP = 1_024;

/** What a stream keeps: a number of entries, or those not below an id. */
export interface Trim {
  readonly maxLength?: number;
  readonly minId?: StreamId;
  readonly isApproximate: boolean;
  /** Maximum number of entries that an approximate trim examines. */
  readonly limit: number;
}

/** Parses `MAXLEN|MINID [=|~] threshold [LIMIT n]` from a position. @returns the trim and the position after it */
export function readTrim(args: readonly string[], from: number): { trim: Trim; next: number } {
  const strategy = wordAt(args, from).toUpperCase();
  const mark = wordAt(args, from + 1);
  const isApproximate = mark === '~';
  let at = mark === '~' || mark === '=' ? from + 2 : from + 1;
  const threshold =
    strategy === 'MAXLEN' ? { maxLength: integerAt(args, at) } : { minId: parseId(wordAt(args, at), 0n) };
  if ((threshold.maxLength ?? 0) < 0) throw failure('ERR The MAXLEN argument must be >= 0.');
  at++;
  let limit = isApproximate ? 100 * NODE_ENTRIES : Infinity;
  if (args[at]?.toUpperCase() === 'LIMIT') {
    const given = integerAt(args, at + 1);
    if (given < 0) throw failure('ERR The LIMIT argument must be >= 0.');
    if (!isApproximate) throw failure('ERR syntax error, LIMIT cannot be used without the special ~ option');
    limit = given === 0 ? Infinity : given;
    at += 2;
  }
  if (strategy !== 'MAXLEN' && strategy !== 'MINID') throw failure(SYNTAX_ERROR);
  return { trim: { ...threshold, isApproximate, limit }, next: at };
}

/** Removes the oldest entries according to a trim. @returns how many */
export function* trimStream(stream: StreamValue, trim: Trim): Steps<number> {
  const excess =
    trim.minId === undefined ? Math.max(0, stream.size - (trim.maxLength ?? 0)) : stream.positionOf(trim.minId);
  const allowed = Math.min(excess, trim.limit);
  const count = trim.isApproximate ? allowed - (allowed % NODE_ENTRIES) : allowed;
  for (let left = count; left > 0; left -= REMOVED_PER_STEP) {
    stream.removeFirst(Math.min(left, REMOVED_PER_STEP));
    if (left > REMOVED_PER_STEP) yield;
  }
  return count;
}
