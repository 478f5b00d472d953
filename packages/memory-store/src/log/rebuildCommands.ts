import { formatDouble } from '../keyspace/formatDouble.js';
import type { LoggedCommand } from './encodeCommands.js';
import { ByteBuffer } from '../keyspace/values/ByteBuffer.js';
import { showId, type StreamValue } from '../keyspace/values/StreamValue.js';
import type { Collection, Value } from '../keyspace/values/Value.js';

/** Maximum number of words of one command: several commands build a large collection. */
const BATCH_WORDS = 512;

/** The commands that create a key, without its expiry. */
export function* rebuildCommands(key: string, value: Value): Iterable<LoggedCommand> {
  if (typeof value === 'string') yield ['SET', key, value];
  else if (value instanceof ByteBuffer) yield ['SET', key, value.toByteText()];
  else if (value.type === 'stream') yield* rebuildStream(key, value);
  else {
    const { command, words, step } = partsOf(value);
    yield* inBatches([command, key], words, step);
  }
}

/** The command that fills a collection, the words that follow it, and how many of them form one element. */
function partsOf(value: Exclude<Collection, StreamValue>) {
  switch (value.type) {
    case 'list':
      return { command: 'RPUSH', words: value.elements(), step: 1 };
    case 'set':
      return {
        command: 'SADD',
        words: flatten(value.members.values(), (row) => [row.key]),
        step: 1,
      };
    case 'hash': {
      const words = flatten(value.fields.values(), (row) => [row.key, row.value]);
      return { command: 'HSET', words, step: 2 };
    }
    case 'zset': {
      const words = flatten(value, ({ score, member }) => [formatDouble(score), member]);
      return { command: 'ZADD', words, step: 2 };
    }
  }
}

function* rebuildStream(key: string, stream: StreamValue): Iterable<LoggedCommand> {
  for (let position = 0; position < stream.size; position++) {
    const entry = stream.at(position);
    if (entry !== undefined) yield ['XADD', key, showId(entry.id), ...entry.fields];
  }
  yield ['XLASTID', key, showId(stream.lastId)];
}

function* flatten<T>(items: Iterable<T>, toWords: (item: T) => readonly string[]) {
  for (const item of items) yield* toWords(item);
}

function* inBatches(head: readonly string[], words: Iterable<string>, step: number) {
  const size = head.length + Math.floor(BATCH_WORDS / step) * step;
  let batch = [...head];
  for (const word of words) {
    batch.push(word);
    if (batch.length < size) continue;
    yield batch;
    batch = [...head];
  }
  if (batch.length > head.length) yield batch;
}
