import { inBody, top } from './argumentsAt.js';
import { integer } from './ArgumentKind.js';
import { reads, writes, type CommandDefinition } from './CommandDefinition.js';
import { setRangeOffset } from './boundedOffsets.js';
import { setParts } from './setParts.js';
import { shownFloat } from './replyShapes.js';

const key = top.key();
const byteRange = [key, top.integer('start'), top.integer('end')];

/** Commands on strings. */
export const stringCommands: readonly CommandDefinition[] = [
  writes('append', 'Appends to a string.', 'POST /ms/_append/:_id', [key, inBody.value()]),
  writes('decr', 'Subtracts 1 from an integer.', 'POST /ms/_decr/:_id', [key]),
  writes('decrby', 'Subtracts a number from an integer.', 'POST /ms/_decrby/:_id', [key, inBody.integer('value')]),
  reads('get', 'Returns a string.', ['GET /ms/:_id', 'GET /ms/_get/:_id'], [key]),
  writes('getdel', 'Returns a string and deletes it.', 'POST /ms/_getdel/:_id', [key]),
  writes('getex', 'Returns a string and sets its expiry.', 'POST /ms/_getex/:_id', [
    key,
    inBody.atMostOne(
      inBody.option('ex', integer, 'EX'),
      inBody.option('px', integer, 'PX'),
      inBody.option('exat', integer, 'EXAT'),
      inBody.option('pxat', integer, 'PXAT'),
      inBody.flag('persist'),
    ),
  ]),
  reads('getrange', 'Returns a part of a string.', 'GET /ms/_getrange/:_id/:start/:end', byteRange),
  writes('getset', 'Sets a string and returns the old one.', 'POST /ms/_getset/:_id', [key, inBody.value()]),
  writes('incr', 'Adds 1 to an integer.', 'POST /ms/_incr/:_id', [key]),
  writes('incrby', 'Adds a number to an integer.', 'POST /ms/_incrby/:_id', [key, inBody.integer('value')]),
  writes('incrbyfloat', 'Adds a fraction to a number.', 'POST /ms/_incrbyfloat/:_id', [key, inBody.decimal('value')], {
    shape: shownFloat,
  }),
  reads('lcs', 'Finds the longest common subsequence.', 'GET /ms/_lcs/:key1/:key2', [
    top.key('key1'),
    top.key('key2'),
    top.flag('len'),
    top.flag('idx'),
    top.option('minmatchlen', integer, 'MINMATCHLEN'),
    top.flag('withmatchlen'),
  ]),
  reads('mget', 'Returns strings.', ['GET /ms/_mget/:_id', 'GET /ms/_mget'], [top.keys()]),
  writes('mset', 'Sets strings.', ['POST /ms/_mset/:_id', 'POST /ms/_mset'], [inBody.pairs('_id', 'value', 'top')]),
  writes(
    'msetnx',
    'Sets strings unless one of them is there.',
    ['POST /ms/_msetnx', 'POST /ms/_msetnx/:_id'],
    [inBody.pairs('_id', 'value', 'top')],
  ),
  writes(
    'psetex',
    'Sets a string that expires after milliseconds.',
    ['POST /ms/_psetex/:_id', 'POST /ms/_psetex'],
    [key, inBody.integer('milliseconds'), inBody.value()],
  ),
  writes('set', 'Sets a string.', ['POST /ms/:_id', 'POST /ms/_set/:_id'], [key, setParts]),
  writes('setex', 'Sets a string that expires after seconds.', 'POST /ms/_setex/:_id', [
    key,
    inBody.integer('seconds'),
    inBody.value(),
  ]),
  writes('setnx', 'Sets a string unless it exists.', 'POST /ms/_setnx/:_id', [key, inBody.value()]),
  writes('setrange', 'Overwrites a part of a string.', 'POST /ms/_setrange/:_id', [key, setRangeOffset]),
  reads('strlen', 'Returns the length of a string in bytes.', 'GET /ms/_strlen/:_id', [key]),
  reads('substr', 'Returns a part of a string.', 'GET /ms/_substr/:_id/:start/:end', byteRange),
];
