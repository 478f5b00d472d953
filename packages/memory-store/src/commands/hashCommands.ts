import { inBody, top } from './argumentsAt.js';
import { name, value } from './ArgumentKind.js';
import { reads, writes, type CommandDefinition } from './CommandDefinition.js';
import { asObject, shownFloat } from './replyShapes.js';
import { countWith } from './countWith.js';

const key = top.key();
const field = top.key('field');
const fields = (at: typeof top) => at.list('field', 'fields', name);

/** Commands on hashes and HyperLogLogs. */
export const hashCommands: readonly CommandDefinition[] = [
  writes('hdel', 'Removes fields.', 'DELETE /ms/_hdel/:_id', [key, fields(inBody)]),
  reads('hexists', 'Returns whether a field exists.', 'GET /ms/_hexists/:_id/:field', [key, field]),
  reads('hget', 'Returns a field.', 'GET /ms/_hget/:_id/:field', [key, field]),
  reads('hgetall', 'Returns all fields as an object.', 'GET /ms/_hgetall/:_id', [key], {
    shape: asObject,
  }),
  writes('hincrby', 'Adds to an integer field.', 'POST /ms/_hincrby/:_id', [
    key,
    inBody.key('field'),
    inBody.integer('value'),
  ]),
  writes(
    'hincrbyfloat',
    'Adds a fraction to a field.',
    'POST /ms/_hincrbyfloat/:_id',
    [key, inBody.key('field'), inBody.decimal('value')],
    { shape: shownFloat },
  ),
  reads('hkeys', 'Returns the names of fields.', 'GET /ms/_hkeys/:_id', [key]),
  reads('hlen', 'Counts fields.', 'GET /ms/_hlen/:_id', [key]),
  reads('hmget', 'Returns fields.', ['GET /ms/_hmget/:_id/:field', 'GET /ms/_hmget/:_id'], [key, fields(top)]),
  writes('hmset', 'Sets fields.', 'POST /ms/_hmset/:_id', [key, inBody.pairs('field', 'value')]),
  reads(
    'hrandfield',
    'Returns some fields.',
    ['GET /ms/_hrandfield/:_id', 'GET /ms/_hrandfield/:_id/:count'],
    [key, countWith('withvalues')],
  ),
  writes('hset', 'Sets fields and counts the new ones.', 'POST /ms/_hset/:_id', [key, inBody.pairs('field', 'value')]),
  writes('hsetnx', 'Sets a field unless it exists.', 'POST /ms/_hsetnx/:_id', [
    key,
    inBody.key('field'),
    inBody.value(),
  ]),
  reads('hstrlen', 'Returns the length of a field in bytes.', 'GET /ms/_hstrlen/:_id/:field', [key, field]),
  reads('hvals', 'Returns the values of fields.', 'GET /ms/_hvals/:_id', [key]),

  writes('pfadd', 'Adds elements to an estimate of their number.', 'POST /ms/_pfadd/:_id', [
    key,
    inBody.list('element', 'elements', value, 0),
  ]),
  reads('pfcount', 'Estimates the number of elements.', ['GET /ms/_pfcount/:_id', 'GET /ms/_pfcount'], [top.keys()]),
  writes('pfmerge', 'Merges estimates of numbers of elements.', 'POST /ms/_pfmerge', [
    inBody.key('destkey'),
    inBody.list('sourcekey', 'sourcekeys', name),
  ]),
];
