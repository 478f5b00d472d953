import { failure } from '../keyspace/failure.js';
import {
  countIn,
  emptyHyperLogLog,
  estimate,
  HYPER_LOG_LOG_BYTES,
  isHyperLogLog,
  mergeInto,
} from '../keyspace/HyperLogLog.js';
import type { Keyspace } from '../keyspace/Keyspace.js';
import { ByteBuffer } from '../keyspace/values/ByteBuffer.js';
import { wordAt } from '../keyspace/words.js';
import { eachInSteps, type Steps } from '../steps/Steps.js';
import { name, value } from './ArgumentKind.js';
import { inBody, top } from './argumentsAt.js';
import { readableBytes } from './bits.js';
import { family, KEY_FIRST, readsWhole, writes, writesWhole } from './Command.js';
import { assertBytes } from './limits.js';
import { writableBytes } from './strings.js';

const NOT_ONE = 'WRONGTYPE Key is not a valid HyperLogLog string value.';
const key = top.key();

/** Commands on HyperLogLogs. */
export const hyperLogLogs = family({
  pfadd: writes(
    'Adds elements to an estimate of their number.',
    [key, inBody.list('element', 'elements', value, 0)],
    'bit',
    function* (db, args) {
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
  ),
  pfcount: readsWhole('Estimates the number of elements.', [top.keys()], 'integer', KEY_FIRST, function* (db, args) {
    const [first, ...others] = yield* sourcesOf(db, args);
    if (others.length === 0) return first === undefined ? 0 : estimate(first);
    const merged = emptyHyperLogLog();
    for (const each of [first, ...others]) {
      if (each !== undefined) mergeInto(merged, each);
      yield;
    }
    return estimate(merged);
  }),
  pfmerge: writesWhole(
    'Merges estimates of numbers of elements.',
    [inBody.key('destkey'), inBody.list('sourcekey', 'sourcekeys', name)],
    'ok',
    function* (db, args) {
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
  ),
});

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
