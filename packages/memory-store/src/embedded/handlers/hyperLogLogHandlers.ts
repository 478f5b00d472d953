import { failure } from '../failure.js';
import { countIn, emptyHyperLogLog, estimate, HYPER_LOG_LOG_BYTES, isHyperLogLog, mergeInto } from '../HyperLogLog.js';
import { eachInSteps, type Steps } from '../../steps/Steps.js';
import type { Keyspace } from '../Keyspace.js';
import { ByteBuffer } from '../values/ByteBuffer.js';
import { wordAt } from '../words.js';
import { assertBytes } from './assertBytes.js';
import { readableBytes } from './bitHandlers.js';
import type { Handlers } from './Handlers.js';
import { writableBytes } from './stringHandlers.js';

const NOT_ONE = 'WRONGTYPE Key is not a valid HyperLogLog string value.';

/** PFCOUNT. */
export const hyperLogLogReaders: Handlers = {
  *PFCOUNT(db, args) {
    const [first, ...others] = yield* sourcesOf(db, args);
    if (others.length === 0) return first === undefined ? 0 : estimate(first);
    const merged = emptyHyperLogLog();
    for (const each of [first, ...others]) {
      if (each !== undefined) mergeInto(merged, each);
      yield;
    }
    return estimate(merged);
  },
};

/** PFADD and PFMERGE. */
export const hyperLogLogWriters: Handlers = {
  *PFADD(db, args) {
    const key = wordAt(args, 0);
    const isNew = registersOf(db, key) === undefined;
    const bytes = writableRegisters(db, key);
    let isRaised = false;
    yield* eachInSteps(args.slice(1), (element) => {
      if (countIn(bytes, element)) isRaised = true;
    });
    if (isRaised || isNew) db.changed(key);
    return isRaised || isNew ? 1 : 0;
  },
  *PFMERGE(db, args) {
    const key = wordAt(args, 0);
    const sources = yield* sourcesOf(db, args);
    const bytes = writableRegisters(db, key);
    for (const source of sources.slice(1)) {
      if (source !== undefined) mergeInto(bytes, source);
      yield;
    }
    db.changed(key);
    return 'OK';
  },
};

/** The registers of each distinct key, without a copy: merging one twice has no effect. */
function* sourcesOf(db: Keyspace, keys: readonly string[]): Steps<(Buffer | undefined)[]> {
  const distinct = [...new Set(keys)];
  assertBytes(distinct.length * HYPER_LOG_LOG_BYTES);
  const sources: (Buffer | undefined)[] = [];
  yield* eachInSteps(distinct, (key) => void sources.push(registersOf(db, key)));
  return sources;
}

/** @throws WRONGTYPE for any other string */
function registersOf(db: Keyspace, key: string): Buffer | undefined {
  const bytes = readableBytes(db, key);
  if (bytes !== undefined && !isHyperLogLog(bytes)) throw failure(NOT_ONE);
  return bytes;
}

function writableRegisters(db: Keyspace, key: string): Buffer {
  if (db.find(key) === undefined) db.set(key, new ByteBuffer(emptyHyperLogLog()));
  return writableBytes(db, key, HYPER_LOG_LOG_BYTES).content;
}
