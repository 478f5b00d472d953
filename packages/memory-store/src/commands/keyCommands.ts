import { inBody, top } from './argumentsAt.js';
import { name, text } from './ArgumentKind.js';
import { reads, writes, type CommandDefinition } from './CommandDefinition.js';
import { base64Content, channel, objectParts, waitMs } from './keyParts.js';
import { asBase64 } from './replyShapes.js';
import { sortParts } from './sortParts.js';

const key = top.key();
const expiryFlags = ['nx', 'xx', 'gt', 'lt'].map((flag) => inBody.flag(flag));
const expiry = (unit: string) => [key, inBody.integer(unit), ...expiryFlags];

/** Commands on keys and their expiry. */
export const keyCommands: readonly CommandDefinition[] = [
  writes('copy', 'Copies a key.', 'POST /ms/_copy/:_id', [key, inBody.key('destination'), inBody.flag('replace')]),
  writes('del', 'Removes keys.', ['DELETE /ms/:_id', 'DELETE /ms', 'DELETE /ms/_del/:_id'], [inBody.keys()]),
  reads('dump', 'Returns a key as bytes in base64.', 'GET /ms/_dump/:_id', [key], {
    shape: asBase64,
  }),
  reads('exists', 'Counts which keys exist.', ['GET /ms/_exists/:_id', 'GET /ms/_exists'], [top.keys()]),
  writes('expire', 'Sets the life of a key in seconds.', 'POST /ms/_expire/:_id', expiry('seconds')),
  writes(
    'expireat',
    'Sets the expiry of a key as a timestamp in seconds.',
    'POST /ms/_expireat/:_id',
    expiry('timestamp'),
  ),
  reads('expiretime', 'Returns the expiry of a key as a timestamp in seconds.', 'GET /ms/_expiretime/:_id', [key]),
  reads('keys', 'Lists the keys that match a pattern.', 'GET /ms/_keys/:pattern', [top.text('pattern')]),
  reads('object', 'Returns the encoding, idle time or reference count of a key.', 'GET /ms/_object', [objectParts]),
  writes('persist', 'Removes the expiry of a key.', 'POST /ms/_persist/:_id', [key]),
  writes('pexpire', 'Sets the life of a key in milliseconds.', 'POST /ms/_pexpire/:_id', expiry('milliseconds')),
  writes(
    'pexpireat',
    'Sets the expiry of a key as a timestamp in milliseconds.',
    'POST /ms/_pexpireat/:_id',
    expiry('timestamp'),
  ),
  reads('pexpiretime', 'Returns the expiry of a key as a timestamp in milliseconds.', 'GET /ms/_pexpiretime/:_id', [
    key,
  ]),
  reads('pttl', 'Returns the remaining life of a key in milliseconds.', 'GET /ms/_pttl/:_id', [key]),
  reads('randomkey', 'Returns a random key.', 'GET /ms/_randomkey'),
  writes('rename', 'Renames a key.', 'POST /ms/_rename/:_id', [key, inBody.key('newkey')]),
  writes('renamenx', 'Renames a key unless the new name is taken.', 'POST /ms/_renamenx/:_id', [
    key,
    inBody.key('newkey'),
  ]),
  writes('restore', 'Creates a key from the output of dump.', 'POST /ms/_restore/:_id', [
    key,
    inBody.integer('ttl'),
    base64Content,
    inBody.flag('replace'),
    inBody.flag('absttl'),
  ]),
  writes('sort', 'Sorts a list, set or sorted set.', 'POST /ms/_sort/:_id', [
    key,
    sortParts('body'),
    inBody.option('store', name, 'STORE'),
  ]),
  reads('sort_ro', 'Sorts a list, set or sorted set.', 'GET /ms/_sort_ro/:_id', [key, sortParts('top')]),
  writes('touch', 'Counts as a use of keys.', ['POST /ms/_touch/:_id', 'POST /ms/_touch'], [inBody.keys()]),
  reads('ttl', 'Returns the remaining life of a key in seconds.', 'GET /ms/_ttl/:_id', [key]),
  reads('type', 'Returns the type of a key.', 'GET /ms/_type/:_id', [key]),
  writes('unlink', 'Removes keys.', ['DELETE /ms/_unlink/:_id', 'DELETE /ms/_unlink'], [inBody.keys()]),
];

/** Commands on the store as a whole, except transactions. */
export const serverCommands: readonly CommandDefinition[] = [
  writes('bgrewriteaof', 'Rewrites the log in the background.', 'POST /ms/_bgrewriteaof'),
  writes('bgsave', 'Saves in the background.', 'POST /ms/_bgsave'),
  reads('dbsize', 'Counts the keys.', 'GET /ms/_dbsize'),
  writes('flushdb', 'Removes all keys of the memory store.', 'POST /ms/_flushdb'),
  reads('info', 'Tells about the store.', ['GET /ms/_info/:section', 'GET /ms/_info'], [top.option('section', text)]),
  reads('lastsave', 'Returns the time of the last save in seconds.', 'GET /ms/_lastsave'),
  reads('ping', 'Answers PONG.', 'GET /ms/_ping'),
  writes(
    'publish',
    'Publishes a message on a channel of the store.',
    ['POST /ms/_publish/:channel', 'POST /ms/_publish'],
    [channel, inBody.value('message')],
  ),
  writes('save', 'Saves.', 'POST /ms/_save'),
  reads('time', 'Returns the time of the store.', 'GET /ms/_time'),
  reads('wait', 'Waits for replicas.', 'POST /ms/_wait', [inBody.integer('numslaves'), waitMs('timeout', true)], {
    blocks: true,
  }),
];
