import { inBody, top } from './argumentsAt.js';
import { integer, value } from './ArgumentKind.js';
import { reads, writes, type CommandDefinition } from './CommandDefinition.js';

const key = top.key();
const members = (at: typeof top) => at.list('member', 'members', value);
const store = [inBody.key('destination'), inBody.keys()];

/** Commands on sets. */
export const setCommands: readonly CommandDefinition[] = [
  writes('sadd', 'Adds members.', 'POST /ms/_sadd/:_id', [key, members(inBody)]),
  reads('scard', 'Counts members.', 'GET /ms/_scard/:_id', [key]),
  reads(
    'sdiff',
    'Returns the members that only the first set has.',
    ['GET /ms/_sdiff/:_id', 'GET /ms/_sdiff'],
    [top.keys()],
  ),
  writes(
    'sdiffstore',
    'Stores the members that only the first set has.',
    ['POST /ms/_sdiffstore/:_id', 'POST /ms/_sdiffstore'],
    store,
  ),
  reads('sinter', 'Returns the common members.', ['GET /ms/_sinter/:_id', 'GET /ms/_sinter'], [top.keys()]),
  reads(
    'sintercard',
    'Counts the common members.',
    ['GET /ms/_sintercard/:_id', 'GET /ms/_sintercard'],
    [top.keys({ isCounted: true }), top.option('limit', integer, 'LIMIT')],
  ),
  writes('sinterstore', 'Stores the common members.', ['POST /ms/_sinterstore/:_id', 'POST /ms/_sinterstore'], store),
  reads('sismember', 'Returns whether a value is a member.', 'GET /ms/_sismember/:_id/:member', [
    key,
    top.value('member'),
  ]),
  reads('smembers', 'Returns all members.', 'GET /ms/_smembers/:_id', [key]),
  reads('smismember', 'Returns which values are members.', 'GET /ms/_smismember/:_id', [key, members(top)]),
  writes(
    'smove',
    'Moves a member.',
    ['POST /ms/_smove/:_id', 'POST /ms/_smove'],
    [key, inBody.key('destination'), inBody.value('member')],
  ),
  writes('spop', 'Removes and returns random members.', 'POST /ms/_spop/:_id', [key, inBody.option('count', integer)]),
  reads(
    'srandmember',
    'Returns random members.',
    ['GET /ms/_srandmember/:_id/:count', 'GET /ms/_srandmember/:_id'],
    [key, top.option('count', integer)],
  ),
  writes('srem', 'Removes members.', 'DELETE /ms/_srem/:_id', [key, members(inBody)]),
  reads('sunion', 'Returns all members of sets.', ['POST /ms/_sunion/:_id', 'POST /ms/_sunion'], [inBody.keys()]),
  writes('sunionstore', 'Stores all members of sets.', ['POST /ms/_sunionstore/:_id', 'POST /ms/_sunionstore'], store),
];
