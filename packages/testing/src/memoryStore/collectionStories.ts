import type { MemoryStoreStory } from './MemoryStoreCall.js';

const SCORED = [
  { score: 1, member: 'a' },
  { score: 2, member: 'b' },
  { score: 3, member: 'c' },
  { score: 4.5, member: 'd' },
];
const WRONG_TYPE = {
  refused: 'WRONGTYPE Operation against a key holding the wrong kind of value',
};

/** Lists, sets, sorted sets and hashes (MEM-20). */
export const collectionStories: readonly MemoryStoreStory[] = [
  [
    'keeps lists',
    [
      ['rpush', { _id: 'l', body: { value: 1, values: ['b', true] } }, 3],
      ['lpush', { _id: 'l', body: { values: ['y', 'x'] } }, 5],
      ['lrange', { _id: 'l', start: 0, stop: -1 }, ['x', 'y', '1', 'b', 'true']],
      ['linsert', { _id: 'l', body: { position: 'after', pivot: 'b', value: 'c' } }, 6],
      ['lpos', { _id: 'l', element: 'c' }, 4],
      ['lset', { _id: 'l', body: { idx: -1, value: 'x' } }, 'OK'],
      ['lpos', { _id: 'l', element: 'x', count: 0, rank: -1 }, [5, 0]],
      ['lrem', { _id: 'l', body: { count: -1, value: 'x' } }, 1],
      ['ltrim', { _id: 'l', body: { start: 1, stop: -2 } }, 'OK'],
      ['lmove', { body: { source: 'l', destination: 'm', wherefrom: 'left', whereto: 'RIGHT' } }, 'y'],
      ['lmpop', { body: { keys: ['none', 'l'], where: 'RIGHT', count: 5 } }, ['l', ['b', '1']]],
      ['exists', { _id: 'l' }, 0],
      ['rpop', { _id: 'm', body: { count: 3 } }, ['y']],
      ['lpop', { _id: 'm' }, null],
      ['lset', { _id: 'm', body: { idx: 0, value: 'x' } }, { refused: 'ERR no such key' }],
      ['rpushx', { _id: 'm', body: { value: 'x' } }, 0],
    ],
  ],
  [
    'keeps sets',
    [
      ['sadd', { _id: 's', body: { member: 1, members: [2, 3, 2] } }, 3],
      ['sadd', { _id: 't', body: { members: ['2', '3', '4'] } }, 3],
      ['sdiff', { _id: 's', keys: ['t'] }, ['1']],
      ['sinter', { keys: ['s', 't'] }, { unordered: ['2', '3'] }],
      ['sunion', { body: { keys: ['s', 't'] } }, { unordered: ['1', '2', '3', '4'] }],
      ['sintercard', { keys: ['s', 't'], limit: 1 }, 1],
      ['sinterstore', { body: { destination: 's', keys: ['s', 't'] } }, 2],
      ['smove', { _id: 's', body: { destination: 't', member: 2 } }, 1],
      ['smismember', { _id: 's', members: [2, 3] }, [0, 1]],
      ['srandmember', { _id: 's', count: -3 }, ['3', '3', '3']],
      ['spop', { _id: 's' }, '3'],
      ['exists', { _id: 's' }, 0],
      ['sadd', { _id: 's', body: { members: [] } }, { refused: '"members"' }],
    ],
  ],
  [
    'keeps sorted sets in the order of scores, then of strings',
    [
      ['zadd', { _id: 'z', body: { values: SCORED } }, 4],
      ['zadd', { _id: 'z', body: { score: 0.1, member: 'B', ch: true } }, 1],
      ['zrange', { _id: 'z', start: 0, stop: 1, withscores: true }, ['B', '0.10000000000000001', 'a', '1']],
      ['zrevrange', { _id: 'z', start: 0, stop: 0, withscores: '' }, ['d', '4.5']],
      ['zrangebyscore', { _id: 'z', min: '(1', max: '+inf', offset: 1, count: 5 }, ['c', 'd']],
      ['zrevrangebyscore', { _id: 'z', max: 3, min: '(1' }, ['c', 'b']],
      ['zrange', { _id: 'z', start: 3, stop: '(1', byscore: true, rev: true }, ['c', 'b']],
      ['zcount', { _id: 'z', min: '-inf', max: '(2' }, 2],
      ['zrank', { _id: 'z', member: 'c' }, 3],
      ['zrevrank', { _id: 'z', member: 'c' }, 1],
      ['zincrby', { _id: 'z', body: { value: 10, member: 'B' } }, '10.1'],
      ['zpopmax', { _id: 'z' }, ['B', '10.1']],
      [
        'zmpop',
        { body: { keys: ['z'], where: 'min', count: 2 } },
        [
          'z',
          [
            ['a', '1'],
            ['b', '2'],
          ],
        ],
      ],
      ['zadd', { _id: 'z', body: { score: '+inf', member: 'top' } }, 1],
      ['zmscore', { _id: 'z', members: ['top', 'none'] }, ['inf', null]],
      ['zremrangebyrank', { _id: 'z', body: { start: 0, stop: -1 } }, 3],
      ['zadd', { _id: 'z', body: { score: 1 } }, { refused: '"member"' }],
      ['zadd', { _id: 'z', body: { values: { score: 1, member: 'x' } } }, { refused: '"values"' }],
    ],
  ],
  [
    'adds to sorted sets under conditions (MEM-15)',
    [
      ['zadd', { _id: 'z', body: { values: SCORED } }, 4],
      [
        'zadd',
        {
          _id: 'z',
          body: {
            values: [
              { score: 9, member: 'a' },
              { score: 0, member: 'd' },
            ],
            gt: true,
            ch: true,
          },
        },
        1,
      ],
      ['zadd', { _id: 'z', body: { score: 1, member: 'new', xx: true } }, 0],
      ['zadd', { _id: 'z', body: { score: 7, member: 'e', nx: true, xx: true } }, 1],
      ['zadd', { _id: 'z', body: { score: 0.5, member: 'b', incr: true } }, '2.5'],
      ['zadd', { _id: 'z', body: { score: 1, member: 'b', incr: true, nx: true } }, null],
    ],
  ],
  [
    'gives ranges of strings (MEM-13, MEM-16)',
    [
      ['zadd', { _id: 'z', body: { values: ['a', 'b', 'c'].map((member) => ({ score: 0, member })) } }, 3],
      ['zrangebylex', { _id: 'z', min: '-', max: '(c' }, ['a', 'b']],
      ['zrevrangebylex', { _id: 'z', min: '[b', max: '+', count: 1 }, ['c']],
      ['zlexcount', { _id: 'z', min: '(a', max: '+' }, 2],
      ['zrangebylex', { _id: 'z', min: 'a', max: 'b' }, { refused: 'ERR min or max not valid string range item' }],
      ['zremrangebylex', { _id: 'z', body: { min: '[a', max: '[b' } }, 2],
    ],
  ],
  [
    'combines sorted sets (MEM-15)',
    [
      ['zadd', { _id: 'a', body: { values: SCORED.slice(0, 2) } }, 2],
      [
        'zadd',
        {
          _id: 'b',
          body: {
            values: [
              { score: 10, member: 'b' },
              { score: 20, member: 'z' },
            ],
          },
        },
        2,
      ],
      ['sadd', { _id: 's', body: { member: 'b' } }, 1],
      ['zunion', { keys: ['a', 'b'], withscores: true }, ['a', '1', 'b', '12', 'z', '20']],
      ['zinter', { keys: ['a', 'b', 's'], withscores: true, aggregate: 'max' }, ['b', '10']],
      ['zinterstore', { body: { destination: 'o', keys: ['a', 'b'], weight: 2, weights: [3] } }, 1],
      ['zscore', { _id: 'o', member: 'b' }, '34'],
      ['zdiffstore', { body: { destination: 'o', keys: ['a', 'b'] } }, 1],
      ['zintercard', { keys: ['a', 'b'] }, 1],
      ['zunionstore', { body: { destination: 'o', keys: ['a', 'b'], weights: [1] } }, { refused: 'ERR syntax error' }],
      ['zunionstore', { body: { destination: 'o', keys: 'a' } }, { refused: '"keys"' }],
    ],
  ],
  [
    'keeps hashes',
    [
      ['hset', { _id: 'h', body: { values: { a: 1, b: [2] } } }, 2],
      ['hset', { _id: 'h', body: { field: '__proto__', value: 'own' } }, 1],
      ['hmget', { _id: 'h', field: 'a', fields: ['none', 'b'] }, ['1', null, '[2]']],
      ['hincrby', { _id: 'h', body: { field: 'a', value: -7 } }, -6],
      ['hincrbyfloat', { _id: 'h', body: { field: 'a', value: 0.5 } }, '-5.5'],
      ['hincrby', { _id: 'h', body: { field: 'a', value: 1 } }, { refused: 'ERR hash value is not an integer' }],
      ['hstrlen', { _id: 'h', field: 'a' }, 4],
      ['hsetnx', { _id: 'h', body: { field: 'a', value: 'x' } }, 0],
      ['hkeys', { _id: 'h' }, { unordered: ['a', 'b', '__proto__'] }],
      ['hdel', { _id: 'h', body: { fields: ['a', 'b', 'none'] } }, 2],
      ['hrandfield', { _id: 'h', count: 3, withvalues: true }, ['__proto__', 'own']],
      ['hgetall', { _id: 'none' }, {}],
      ['hmset', { _id: 'h', body: { values: ['lonely'] } }, { refused: '"values"' }],
    ],
  ],
  [
    'refuses a command on a value of another type',
    [
      ['set', { _id: 's', body: { value: 'x' } }, 'OK'],
      ['lpush', { _id: 's', body: { value: 1 } }, WRONG_TYPE],
      ['sadd', { _id: 's', body: { member: 1 } }, WRONG_TYPE],
      ['zadd', { _id: 's', body: { score: 1, member: 1 } }, WRONG_TYPE],
      ['hgetall', { _id: 's' }, WRONG_TYPE],
      ['xlen', { _id: 's' }, WRONG_TYPE],
      ['pfcount', { _id: 's' }, { refused: 'WRONGTYPE Key is not a valid HyperLogLog string value.' }],
      ['get', { _id: 's' }, 'x'],
    ],
  ],
];
