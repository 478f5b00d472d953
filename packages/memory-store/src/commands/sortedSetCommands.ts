import { inBody, top } from './argumentsAt.js';
import { decimal, integer, keyword, name, scoreBound, text, value } from './ArgumentKind.js';
import { reads, writes, type CommandDefinition } from './CommandDefinition.js';
import { countWith } from './countWith.js';
import { waitedKeys } from './listCommands.js';
import { combination, rangeParts, strictCombination, zaddParts } from './sortedSetParts.js';

const key = top.key();
const member = top.value('member');
const scores = top.flag('withscores');
const counted = top.keys({ isCounted: true });
const storeOf = [inBody.key('destination'), inBody.keys({ isCounted: true })];
const multiPop = [
  inBody.keys({ isCounted: true }),
  inBody.choice('where', 'MIN', 'MAX'),
  inBody.option('count', integer, 'COUNT'),
];
const waitingPop = [waitedKeys, inBody.timeout()];
const byScore = (at: typeof top, first: string, second: string) => [
  at.one(first, scoreBound),
  at.one(second, scoreBound),
];
const byText = (at: typeof top) => [at.one('min', text), at.one('max', text)];
// Redis expects the upper bound first, the path has min first (MEM-16).
const byTextDown = [top.one('max', text), top.one('min', text)];
const weighted = [
  counted,
  combination(top.list('', 'weights', decimal, 0), top.option('aggregate', keyword('SUM', 'MIN', 'MAX'), 'AGGREGATE')),
];

/** Commands on sorted sets. */
export const sortedSetCommands: readonly CommandDefinition[] = [
  writes(
    'bzmpop',
    'Removes and returns members of the first sorted set that is not empty.',
    ['POST /ms/_bzmpop', 'POST /ms/_bzmpop/:_id'],
    [inBody.timeout(), ...multiPop],
    { blocks: true },
  ),
  writes(
    'bzpopmax',
    'Removes and returns the member with the highest score; waits for one.',
    ['POST /ms/_bzpopmax', 'POST /ms/_bzpopmax/:_id'],
    waitingPop,
    { blocks: true },
  ),
  writes(
    'bzpopmin',
    'Removes and returns the member with the lowest score; waits for one.',
    ['POST /ms/_bzpopmin', 'POST /ms/_bzpopmin/:_id'],
    waitingPop,
    { blocks: true },
  ),
  writes('zadd', 'Adds members with scores.', 'POST /ms/_zadd/:_id', [key, zaddParts]),
  reads('zcard', 'Counts members.', 'GET /ms/_zcard/:_id', [key]),
  reads('zcount', 'Counts members by score.', 'GET /ms/_zcount/:_id/:min/:max', [key, ...byScore(top, 'min', 'max')]),
  reads(
    'zdiff',
    'Returns the members that only the first set has.',
    ['GET /ms/_zdiff/:_id', 'GET /ms/_zdiff'],
    [counted, scores],
  ),
  writes(
    'zdiffstore',
    'Stores the members that only the first set has.',
    ['POST /ms/_zdiffstore', 'POST /ms/_zdiffstore/:_id'],
    storeOf,
  ),
  writes('zincrby', 'Adds to a score.', 'POST /ms/_zincrby/:_id', [
    key,
    inBody.decimal('value'),
    inBody.value('member'),
  ]),
  reads('zinter', 'Returns the common members.', ['GET /ms/_zinter/:_id', 'GET /ms/_zinter'], [...weighted, scores]),
  reads(
    'zintercard',
    'Counts the common members.',
    ['GET /ms/_zintercard/:_id', 'GET /ms/_zintercard'],
    [counted, top.option('limit', integer, 'LIMIT')],
  ),
  writes(
    'zinterstore',
    'Stores the common members.',
    ['POST /ms/_zinterstore', 'POST /ms/_zinterstore/:_id'],
    [inBody.key('destination'), strictCombination],
  ),
  reads('zlexcount', 'Counts members in a lexicographical range.', 'GET /ms/_zlexcount/:_id/:min/:max', [
    key,
    ...byText(top),
  ]),
  writes(
    'zmpop',
    'Removes and returns members of the first sorted set that is not empty.',
    ['POST /ms/_zmpop', 'POST /ms/_zmpop/:_id'],
    multiPop,
  ),
  reads('zmscore', 'Returns scores.', 'GET /ms/_zmscore/:_id', [key, top.list('member', 'members', value)]),
  writes('zpopmax', 'Removes and returns the members with the highest scores.', 'POST /ms/_zpopmax/:_id', [
    key,
    inBody.option('count', integer),
  ]),
  writes('zpopmin', 'Removes and returns the members with the lowest scores.', 'POST /ms/_zpopmin/:_id', [
    key,
    inBody.option('count', integer),
  ]),
  reads(
    'zrandmember',
    'Returns random members.',
    ['GET /ms/_zrandmember/:_id', 'GET /ms/_zrandmember/:_id/:count'],
    [key, countWith('withscores')],
  ),
  reads('zrange', 'Returns members by rank, score or lexicographical order.', 'GET /ms/_zrange/:_id/:start/:stop', [
    key,
    rangeParts('top'),
    scores,
  ]),
  reads('zrangebylex', 'Returns members in lexicographical order.', 'GET /ms/_zrangebylex/:_id/:min/:max', [
    key,
    ...byText(top),
    top.limit(),
  ]),
  reads('zrangebyscore', 'Returns members by score.', 'GET /ms/_zrangebyscore/:_id/:min/:max', [
    key,
    ...byScore(top, 'min', 'max'),
    scores,
    top.limit(),
  ]),
  writes('zrangestore', 'Stores a range of members.', 'POST /ms/_zrangestore/:_id', [
    inBody.one('destination', name),
    key,
    rangeParts('body'),
  ]),
  reads('zrank', 'Returns the rank of a member.', 'GET /ms/_zrank/:_id/:member', [key, member]),
  writes('zrem', 'Removes members.', 'DELETE /ms/_zrem/:_id', [key, inBody.list('member', 'members', value)]),
  writes('zremrangebylex', 'Removes members in a lexicographical range.', 'DELETE /ms/_zremrangebylex/:_id', [
    key,
    ...byText(inBody),
  ]),
  writes('zremrangebyrank', 'Removes members by rank.', 'DELETE /ms/_zremrangebyrank/:_id', [
    key,
    inBody.integer('start'),
    inBody.integer('stop'),
  ]),
  writes('zremrangebyscore', 'Removes members by score.', 'DELETE /ms/_zremrangebyscore/:_id', [
    key,
    ...byScore(inBody, 'min', 'max'),
  ]),
  reads('zrevrange', 'Returns members by descending rank.', 'GET /ms/_zrevrange/:_id/:start/:stop', [
    key,
    top.integer('start'),
    top.integer('stop'),
    scores,
  ]),
  reads(
    'zrevrangebylex',
    'Returns members in descending lexicographical order.',
    'GET /ms/_zrevrangebylex/:_id/:min/:max',
    [key, ...byTextDown, top.limit()],
  ),
  reads('zrevrangebyscore', 'Returns members by descending score.', 'GET /ms/_zrevrangebyscore/:_id/:max/:min', [
    key,
    ...byScore(top, 'max', 'min'),
    scores,
    top.limit(),
  ]),
  reads('zrevrank', 'Returns the rank of a member from the top.', 'GET /ms/_zrevrank/:_id/:member', [key, member]),
  reads('zscore', 'Returns the score of a member.', 'GET /ms/_zscore/:_id/:member', [key, member]),
  reads('zunion', 'Returns all members of sets.', ['GET /ms/_zunion/:_id', 'GET /ms/_zunion'], [...weighted, scores]),
  writes(
    'zunionstore',
    'Stores all members of sets.',
    ['POST /ms/_zunionstore', 'POST /ms/_zunionstore/:_id'],
    [inBody.key('destination'), strictCombination],
  ),
];
