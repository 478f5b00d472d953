import { isJsonObject } from '@millrace/kernel';
import { failure, SYNTAX_ERROR } from '../keyspace/failure.js';
import type { Keyspace } from '../keyspace/Keyspace.js';
import type { Reply } from '../keyspace/Reply.js';
import { compareIds, showId, StreamValue, type StreamEntry, type StreamId } from '../keyspace/values/StreamValue.js';
import { integerAt, wordAt } from '../keyspace/words.js';
import { eachInSteps, ELEMENTS_PER_STEP, mapInSteps, type Steps } from '../steps/Steps.js';
import { integer, name, text } from './ArgumentKind.js';
import { inBody, top, waitMs } from './argumentsAt.js';
import type { Blocking } from './Blocking.js';
import { family, FREES, reads, readsWhole, removesWhole, writes, writesWhole } from './Command.js';
import { invalid, missing, readFlag, toWord, type CommandPart } from './CommandPart.js';
import { assertElements } from './limits.js';
import { HIGHEST, idAfter, LOWEST, MAX_PART, parseBound, parseId, parsePart } from './streamIds.js';
import { readTrim, trimStream, type Trim } from './trimStream.js';

const key = top.key();
const entryId: CommandPart = {
  args: inBody.option('id', text).args,
  append: (source, words) => {
    const id = source.read('id', 'body') ?? '*';
    words.push(toWord('id', text, id));
  },
};

/** `streams`: an object of key → last id. */
const streamsArgs: CommandPart = {
  args: [
    {
      name: 'streams',
      home: 'body',
      kind: { expected: 'an object of key → last id', schema: { type: 'object' } },
      isRequired: true,
    },
  ],
  append: (source, words) => {
    const given = source.read('streams', 'body');
    if (given === undefined) throw missing('streams', 'an object of key → last id');
    if (!isJsonObject(given) || Object.keys(given).length === 0)
      throw invalid('streams', 'an object of key → last id', given);
    const entries = Object.entries(given);
    words.push('STREAMS', ...entries.map(([each]) => toWord('streams', name, each)));
    words.push(...entries.map(([, id]) => toWord('streams', text, id)));
  },
};

const NOT_GREATER = 'ERR The ID specified in XADD is equal or smaller than the target stream top item';
const EXHAUSTED = 'ERR The stream has exhausted the last possible ID, unable to add more items';
const FEW_IDS = 16;

/** One stream of XREAD and the id after which to read. */
interface StreamPosition {
  readonly key: string;
  readonly after: StreamId;
}

/** Commands on streams. */
export const streams = family({
  xadd: writesWhole(
    'Appends an entry.',
    [key, inBody.flag('nomkstream'), trimming(false), entryId, inBody.pairs('field', 'value')],
    'textOrNull',
    add,
  ),
  xdel: removesWhole('Removes entries.', [key, inBody.list('id', 'ids', text)], 'integer', function* (db, args) {
    const key = wordAt(args, 0);
    const stream = db.changing(key, StreamValue);
    // As in Redis, ids are parsed only if the stream exists.
    if (stream === undefined) return 0;
    const ids = args.slice(1).map((word) => parseId(word, 0n));
    const removed = yield* deleteEntries(stream, ids);
    if (removed > 0) db.changed(key);
    return removed;
  }),
  xlen: reads(
    'Counts entries.',
    [key],
    'integer',
    (db, args) => db.collection(wordAt(args, 0), StreamValue)?.size ?? 0,
  ),
  xrange: readsWhole(
    'Returns entries by id.',
    [key, top.text('start'), top.text('end'), top.option('count', integer, 'COUNT')],
    'entries',
    (db, args) => range(db, args, false),
  ),
  xread: readsWhole(
    'Returns the entries behind ids, waiting for them if asked.',
    [inBody.option('count', integer, 'COUNT'), waitMs('block', false, 'BLOCK'), streamsArgs],
    'streams',
    { method: 'POST', blocks: readWait },
    read,
  ),
  xrevrange: readsWhole(
    'Returns entries by descending id.',
    [key, top.text('end'), top.text('start'), top.option('count', integer, 'COUNT')],
    'entries',
    (db, args) => range(db, args, true),
  ),
  xtrim: writesWhole('Removes the oldest entries.', [key, trimming(true)], 'integer', FREES, function* (db, args) {
    const key = wordAt(args, 0);
    const { trim, next } = readTrim(args, 1);
    if (next !== args.length) throw failure(SYNTAX_ERROR);
    const stream = db.changing(key, StreamValue);
    const removed = stream === undefined ? 0 : yield* trimStream(stream, trim);
    if (removed > 0) db.changed(key);
    if (stream !== undefined) db.effects = [['XTRIM', key, 'MAXLEN', String(stream.size)]];
    return removed;
  }),
});

/** Not a Redis command, and no action: it records the last id, which outlives its entry, in dumps and in the log. */
export const lastIds = family({
  xlastid: writes('Sets the last id.', [], 'ok', (db, args) => {
    const key = wordAt(args, 0);
    db.changingOrNew(key, StreamValue).lastId = parseId(wordAt(args, 1), 0n);
    db.changed(key);
    return 'OK';
  }),
});

/** `maxlen` or `minid`, with `approximate` and `limit`. */
function trimming(isRequired: boolean): CommandPart {
  return {
    args: [
      ...inBody.option('maxlen', integer).args,
      ...inBody.option('minid', text).args,
      ...inBody.flag('approximate').args,
      ...inBody.option('limit', integer).args,
    ],
    append: (source, words) => {
      const [maxlen, minid] = [source.read('maxlen', 'body'), source.read('minid', 'body')];
      if (maxlen !== undefined && minid !== undefined) throw invalid('minid', 'absent with "maxlen"', minid);
      if (maxlen === undefined && minid === undefined) {
        if (isRequired) throw missing('maxlen', '"maxlen" or "minid"');
        return;
      }
      words.push(maxlen === undefined ? 'MINID' : 'MAXLEN');
      if (readFlag(source, 'approximate', 'body')) words.push('~');
      if (maxlen === undefined) words.push(toWord('minid', text, minid));
      else words.push(toWord('maxlen', integer, maxlen));
      inBody.option('limit', integer, 'LIMIT').append(source, words);
    },
  };
}

/** A few entries are removed one by one, each of which moves the entries after it; many are removed in one pass. */
function* deleteEntries(stream: StreamValue, ids: readonly StreamId[]): Steps<number> {
  if (ids.length <= FEW_IDS) return ids.filter((id) => stream.delete(id)).length;
  assertElements(stream.size);
  const wanted = new Set<string>();
  yield* eachInSteps(ids, (id) => void wanted.add(showId(id)));
  const kept: StreamEntry[] = [];
  yield* eachInSteps(stream.entriesInOrder(), (entry) => {
    if (!wanted.has(showId(entry.id))) kept.push(entry);
  });
  const removed = stream.size - kept.length;
  stream.clear();
  yield* eachInSteps(kept, (entry) => stream.restore(entry));
  return removed;
}

function* add(db: Keyspace, args: readonly string[]): Steps<Reply> {
  const key = wordAt(args, 0);
  const { trim, isMaking, idAt } = readAddOptions(args);
  const fields = args.slice(idAt + 1);
  if (fields.length === 0 || fields.length % 2 === 1) throw failure("ERR wrong number of arguments for 'xadd' command");
  const word = wordAt(args, idAt);
  if (word === '0-0') throw failure('ERR The ID specified in XADD must be greater than 0-0');
  const known = db.changing(key, StreamValue);
  const lastId = known?.lastId ?? LOWEST;
  const id = word === '*' ? nextId(lastId, db.nowMs) : givenId(word, lastId);
  if (known === undefined && !isMaking) return null;
  const stream = known ?? db.changingOrNew(key, StreamValue);
  stream.append({ id, fields });
  const removed = trim === undefined ? 0 : yield* trimStream(stream, trim);
  db.changed(key);
  db.readyKeys.add(key);
  const entry = ['XADD', key, showId(id), ...fields];
  db.effects = removed > 0 ? [entry, ['XTRIM', key, 'MAXLEN', String(stream.size)]] : [entry];
  return showId(id);
}

function readAddOptions(args: readonly string[]) {
  let [trim, isMaking, at]: [Trim | undefined, boolean, number] = [undefined, true, 1];
  for (;;) {
    const option = wordAt(args, at).toUpperCase();
    if (option === 'NOMKSTREAM') {
      isMaking = false;
      at++;
    } else if (option === 'MAXLEN' || option === 'MINID') {
      const read = readTrim(args, at);
      trim = read.trim;
      at = read.next;
    } else return { trim, isMaking, idAt: at };
  }
}

/** The id of the current time, or the next one if the clock hasn't advanced or went back. */
function nextId(lastId: StreamId, nowMs: number): StreamId {
  const ms = BigInt(nowMs);
  return ms > lastId.ms ? { ms, sequence: 0n } : idAfter(lastId, EXHAUSTED);
}

/** A complete id, or `ms-*`. */
function givenId(word: string, lastId: StreamId): StreamId {
  if (!word.endsWith('-*')) {
    const id = parseId(word, 0n);
    if (compareIds(id, lastId) <= 0) {
      if (compareIds(lastId, HIGHEST) === 0) throw failure(EXHAUSTED);
      throw failure(NOT_GREATER);
    }
    return id;
  }
  const ms = parsePart(word.slice(0, -2));
  if (compareIds(lastId, HIGHEST) === 0) throw failure(EXHAUSTED);
  if (ms < lastId.ms || (ms === lastId.ms && lastId.sequence === MAX_PART)) throw failure(NOT_GREATER);
  return { ms, sequence: ms === lastId.ms ? lastId.sequence + 1n : 0n };
}

function showEntry({ id, fields }: StreamEntry): Reply {
  return [showId(id), fields];
}

function* range(db: Keyspace, args: readonly string[], isReverse: boolean): Steps<Reply> {
  const [from, to] = isReverse ? [wordAt(args, 2), wordAt(args, 1)] : [wordAt(args, 1), wordAt(args, 2)];
  const [start, end] = [parseBound(from, true), parseBound(to, false)];
  let count = Infinity;
  if (args.length > 3) {
    if (args[3]?.toUpperCase() !== 'COUNT' || args.length !== 5) throw failure(SYNTAX_ERROR);
    count = Math.max(0, integerAt(args, 4));
  }
  const stream = db.collection(wordAt(args, 0), StreamValue);
  if (stream === undefined) return [];
  if (count === 0) return null;
  const entries = yield* between(stream, start, end, isReverse, count);
  return yield* mapInSteps(entries, showEntry);
}

function* between(
  stream: StreamValue,
  start: StreamId,
  end: StreamId,
  isReverse: boolean,
  count: number,
): Steps<StreamEntry[]> {
  const first = stream.positionOf(start);
  const endPosition = stream.positionOf(end);
  const endEntry = stream.at(endPosition);
  const last = endEntry !== undefined && compareIds(endEntry.id, end) === 0 ? endPosition : endPosition - 1;
  const entries: StreamEntry[] = [];
  assertElements(Math.min(last - first + 1, count));
  for (let step = 0; step <= last - first && entries.length < count; step++) {
    if (step % ELEMENTS_PER_STEP === ELEMENTS_PER_STEP - 1) yield;
    const entry = stream.at(isReverse ? last - step : first + step);
    if (entry !== undefined) entries.push(entry);
  }
  return entries;
}

/** Parses the words of XREAD; `$` is the current last id. */
function readPositions(db: Keyspace, args: readonly string[]) {
  let [count, at] = [Infinity, 0];
  for (; wordAt(args, at).toUpperCase() !== 'STREAMS'; at += 2) {
    const option = wordAt(args, at).toUpperCase();
    if (option === 'COUNT') count = integerAt(args, at + 1) > 0 ? integerAt(args, at + 1) : Infinity;
    else if (option !== 'BLOCK') throw failure(SYNTAX_ERROR);
  }
  const words = args.slice(at + 1);
  if (words.length === 0 || words.length % 2 === 1)
    throw failure("ERR Unbalanced XREAD list of streams: for each stream key an ID or '$' must be specified.");
  const positions = words.slice(0, words.length / 2).map((key, place): StreamPosition => {
    const word = words[words.length / 2 + place] ?? '';
    const stream = db.collection(key, StreamValue);
    if (word === '>')
      throw failure(
        'ERR The > ID can be specified only when calling XREADGROUP using the GROUP <group> <consumer> option.',
      );
    return { key, after: word === '$' ? (stream?.lastId ?? LOWEST) : parseId(word, 0n) };
  });
  return { count, positions };
}

/** The wait of XREAD with BLOCK. `$` is the current last id, not the one when the wait ends. */
function readWait(db: Keyspace, args: readonly string[]): Blocking | undefined {
  const at = args.findIndex((word) => word.toUpperCase() === 'BLOCK');
  if (at < 0) return undefined;
  const { count, positions } = readPositions(db, args);
  const counted = Number.isFinite(count) ? ['COUNT', String(count)] : [];
  const keys = positions.map(({ key }) => key);
  const ids = positions.map(({ after }) => showId(after));
  const read = (...words: readonly string[]) => [...counted, 'STREAMS', ...words];
  return {
    keys,
    timeoutMs: Number(args[at + 1]),
    args: read(...keys, ...ids),
    type: 'stream',
    argsFor: (key) => read(key, ids[keys.indexOf(key)] ?? ''),
  };
}

/** The entries after ids; null if there are none. */
function* read(db: Keyspace, args: readonly string[]): Steps<Reply> {
  const { count, positions } = readPositions(db, args);
  const found: Reply[] = [];
  for (const { key, after } of positions) {
    const stream = db.collection(key, StreamValue);
    if (stream === undefined || compareIds(after, HIGHEST) >= 0) continue;
    const entries = yield* between(stream, idAfter(after, SYNTAX_ERROR), HIGHEST, false, count);
    if (entries.length > 0) found.push([key, yield* mapInSteps(entries, showEntry)]);
  }
  return found.length === 0 ? null : found;
}
