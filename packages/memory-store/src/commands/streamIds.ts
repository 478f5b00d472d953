import { failure } from '../keyspace/failure.js';
import type { StreamId } from '../keyspace/values/StreamValue.js';

/** Largest part of an id: 64 bits, unsigned. */
export const MAX_PART = 2n ** 64n - 1n;
const PART = /^\d{1,20}$/;
const BAD_ID = 'ERR Invalid stream ID specified as stream command argument';

/** Lowest and highest id. */
export const LOWEST: StreamId = { ms: 0n, sequence: 0n };
export const HIGHEST: StreamId = { ms: MAX_PART, sequence: MAX_PART };

/** Parses `ms` or `ms-sequence`; `missingSequence` is the default. @throws */
export function parseId(word: string, missingSequence: bigint): StreamId {
  const [ms = '', sequence, ...more] = word.split('-');
  if (more.length > 0) throw failure(BAD_ID);
  return {
    ms: parsePart(ms),
    sequence: sequence === undefined ? missingSequence : parsePart(sequence),
  };
}

/** Parses one part of an id. @throws */
export function parsePart(text: string): bigint {
  const part = PART.test(text) ? BigInt(text) : MAX_PART + 1n;
  if (part > MAX_PART) throw failure(BAD_ID);
  return part;
}

/** The next id. @throws if there is none */
export function idAfter({ ms, sequence }: StreamId, message: string): StreamId {
  if (sequence < MAX_PART) return { ms, sequence: sequence + 1n };
  if (ms === MAX_PART) throw failure(message);
  return { ms: ms + 1n, sequence: 0n };
}

/** The previous id. @throws if there is none */
export function idBefore({ ms, sequence }: StreamId, message: string): StreamId {
  if (sequence > 0n) return { ms, sequence: sequence - 1n };
  if (ms === 0n) throw failure(message);
  return { ms: ms - 1n, sequence: MAX_PART };
}

/** A bound of xrange: an id, `-`, `+`, or an id after `(` to exclude it. */
export function parseBound(word: string, isStart: boolean): StreamId {
  if (word === '-') return LOWEST;
  if (word === '+') return HIGHEST;
  if (!word.startsWith('(')) return parseId(word, isStart ? 0n : MAX_PART);
  const id = parseId(word.slice(1), isStart ? 0n : MAX_PART);
  return isStart
    ? idAfter(id, 'ERR invalid start ID for the interval')
    : idBefore(id, 'ERR invalid end ID for the interval');
}
