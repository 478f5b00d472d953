import { name, text, type ArgumentKind } from './ArgumentKind.js';
import { inBody, top, waitMs } from './argumentsAt.js';
import { family, FREES, reads, writes } from './Command.js';

const RESERVED_CHANNEL = /^(?:millrace:|__key)/;

/** A channel; those reserved by the service or Redis are refused (MEM-61). */
const channel = inBody.one('channel', {
  expected: 'a name that begins neither with "millrace:" nor with "__key"',
  schema: name.schema,
  toWord: (value) => {
    const word = name.toWord(value);
    return word === undefined || RESERVED_CHANNEL.test(word) ? undefined : word;
  },
} satisfies ArgumentKind);

/** Commands on the store as a whole, except transactions. The embedded engine has no subscribers and no replicas. */
export const server = family({
  bgrewriteaof: writes('Rewrites the log in the background.', [], 'text'),
  bgsave: writes('Saves in the background.', [], 'text'),
  dbsize: reads('Counts the keys.', [], 'integer', (db) => db.size),
  flushdb: writes('Removes all keys of the memory store.', [], 'ok', FREES, (db) => {
    db.clear();
    return 'OK';
  }),
  info: reads('Tells about the store.', [top.option('section', text)], 'text', {
    paths: ['/:section', ''],
  }),
  lastsave: reads('Returns the time of the last save in seconds.', [], 'integer'),
  ping: reads('Answers PONG.', [], 'pong', () => 'PONG'),
  publish: writes(
    'Publishes a message on a channel of the store.',
    [channel, inBody.value('message')],
    'integer',
    { paths: ['/:channel', ''], changes: false },
    () => 0,
  ),
  save: writes('Saves.', [], 'ok'),
  time: reads('Returns the time of the store.', [], 'time', (db) => {
    const nowMs = db.nowMs;
    return [String(Math.floor(nowMs / 1000)), String((nowMs % 1000) * 1000)];
  }),
  wait: reads(
    'Waits for replicas.',
    [inBody.integer('numslaves'), waitMs('timeout', true)],
    'integer',
    { method: 'POST', blocks: () => undefined },
    () => 0,
  ),
});
