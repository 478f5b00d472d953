import type { MemoryStoreStory } from './MemoryStoreCall.js';

const NOT_AN_INTEGER = { refused: 'ERR value is not an integer or out of range' };

/** Strings, bits, keys and expiry. */
export const stringStories: readonly MemoryStoreStory[] = [
  [
    'counts bytes, not characters',
    [
      ['append', { _id: 's', body: { value: 'café' } }, 5],
      ['getrange', { _id: 's', start: -2, end: -1 }, 'é'],
      ['getrange', { _id: 's', start: -1, end: -1 }, '\ufffd'],
      ['setrange', { _id: 's', body: { offset: 7, value: 'x' } }, 8],
      ['get', { _id: 's' }, 'café\u0000\u0000x'],
      ['setrange', { _id: 's', body: { offset: -1, value: 'x' } }, { refused: 'ERR offset is out of range' }],
    ],
  ],
  [
    'never rounds integers of 64 bits (MEM-21)',
    [
      ['set', { _id: 'n', body: { value: '9007199254740991' } }, 'OK'],
      ['incr', { _id: 'n' }, '9007199254740992'],
      ['incrby', { _id: 'n', body: { value: '9007199254740993' } }, '18014398509481985'],
      ['set', { _id: 'n', body: { value: '9223372036854775807' } }, 'OK'],
      ['incr', { _id: 'n' }, { refused: 'ERR increment or decrement would overflow' }],
      ['set', { _id: 'n', body: { value: 'abc' } }, 'OK'],
      ['decr', { _id: 'n' }, NOT_AN_INTEGER],
    ],
  ],
  [
    'adds fractions as decimals (MEM-24)',
    [
      ['set', { _id: 'f', body: { value: 0.1 } }, 'OK'],
      ['incrbyfloat', { _id: 'f', body: { value: 0.2 } }, '0.3'],
      ['incrbyfloat', { _id: 'f', body: { value: '1e3' } }, '1000.3'],
      ['incrbyfloat', { _id: 'f', body: { value: -1000 } }, '0.3'],
      ['incrbyfloat', { _id: 'f', body: { value: 'ten' } }, { refused: '"value"' }],
    ],
  ],
  [
    'sets with conditions and expiry (MEM-14)',
    [
      ['set', { _id: 's', body: { value: 'a', xx: true } }, null],
      ['set', { _id: 's', body: { value: 'a', nx: true, ex: 100 } }, 'OK'],
      ['ttl', { _id: 's' }, 100],
      ['set', { _id: 's', body: { value: 'b', keepttl: true, get: true } }, 'a'],
      ['ttl', { _id: 's' }, 100],
      ['set', { _id: 's', body: { value: 'c' } }, 'OK'],
      ['ttl', { _id: 's' }, -1],
      ['set', { _id: 's', body: { a: [1, null] } }, 'OK'],
      ['get', { _id: 's' }, '{"a":[1,null]}'],
      ['set', { _id: 's', body: { value: 'x', ex: 0 } }, { refused: "ERR invalid expire time in 'set' command" }],
      ['set', { _id: 's', body: { value: 'x', ex: 1, px: 1 } }, { refused: '"px"' }],
      ['set', { _id: 's', body: { ex: 10 } }, { refused: '"value"' }],
      ['set', { _id: 's' }, { refused: '"value"' }],
    ],
  ],
  [
    'takes pairs in every form',
    [
      ['mset', { _id: 'a', body: { value: 1, values: ['b', { c: 2 }] } }, 'OK'],
      ['mget', { _id: 'a', keys: ['b', 'none'] }, ['1', '{"c":2}', null]],
      ['msetnx', { body: { values: { c: '1', a: '2' } } }, 0],
      ['exists', { keys: ['a', 'a', 'c'] }, 2],
      ['mset', { body: { values: ['a'] } }, { refused: '"values"' }],
      ['mget', {}, { refused: '"_id"' }],
    ],
  ],
  [
    'finds the longest common subsequence',
    [
      ['mset', { body: { values: { x: 'ohmytext', y: 'mynewtext' } } }, 'OK'],
      ['lcs', { key1: 'x', key2: 'y' }, 'mytext'],
      ['lcs', { key1: 'x', key2: 'y', len: true }, 6],
      [
        'lcs',
        { key1: 'x', key2: 'y', idx: true, withmatchlen: true, minmatchlen: 4 },
        ['matches', [[[4, 7], [5, 8], 4]], 'len', 6],
      ],
    ],
  ],
  [
    'works on bits',
    [
      ['set', { _id: 'b', body: { value: 'foobar' } }, 'OK'],
      ['bitcount', { _id: 'b' }, 26],
      ['bitcount', { _id: 'b', body: { start: 5, end: 30, unit: 'BIT' } }, 17],
      ['bitpos', { _id: 'b', bit: 0 }, 0],
      ['bitpos', { _id: 'b', bit: 1, start: 2 }, 17],
      ['setbit', { _id: 'b', body: { offset: 7, value: 1 } }, 0],
      ['getbit', { _id: 'b', offset: 7 }, 1],
      ['bitop', { body: { operation: 'not', destkey: 'n', key: 'b' } }, 6],
      [
        'bitop',
        { body: { operation: 'NOT', destkey: 'n', keys: ['b', 'n'] } },
        { refused: 'ERR BITOP NOT must be called with a single source key.' },
      ],
      [
        'bitfield',
        {
          _id: 'f',
          body: {
            operations: [
              ['INCRBY', 'i5', 100, 1],
              ['GET', 'u4', 0],
            ],
          },
        },
        [1, 0],
      ],
      [
        'bitfield',
        { _id: 'f', body: { operations: ['SET', 'u8', 0, 255, 'OVERFLOW', 'FAIL', 'INCRBY', 'u8', 0, 1] } },
        [0, null],
      ],
      ['bitfield_ro', { _id: 'f', operations: ['GET', 'i8', 0] }, [-1]],
    ],
  ],
  [
    'refuses what would take more memory than a value may, before it takes any',
    [
      [
        'setrange',
        { _id: 's', body: { offset: 536870911, value: 'x' } },
        { refused: 'ERR string exceeds maximum allowed size' },
      ],
      [
        'setbit',
        { _id: 's', body: { offset: '4294967296', value: 1 } },
        { refused: 'ERR bit offset is not an integer or out of range' },
      ],
      ['bitfield', { _id: 's', body: { operations: ['SET', 'u8', '#536870911', 1] } }, { refused: 'ERR bit offset' }],
      ['exists', { _id: 's' }, 0],
    ],
  ],
  [
    'lets keys expire',
    [
      ['expire', { _id: 'k', body: { seconds: 10 } }, 0],
      ['set', { _id: 'k', body: { value: 1 } }, 'OK'],
      ['expire', { _id: 'k', body: { seconds: 100, xx: true } }, 0],
      ['expire', { _id: 'k', body: { seconds: 100 } }, 1],
      ['expire', { _id: 'k', body: { seconds: 50, gt: true } }, 0],
      ['pexpire', { _id: 'k', body: { milliseconds: 50000, lt: true } }, 1],
      ['ttl', { _id: 'k' }, 50],
      ['persist', { _id: 'k' }, 1],
      ['expiretime', { _id: 'k' }, -1],
      ['expireat', { _id: 'k', body: { timestamp: 1 } }, 1],
      ['type', { _id: 'k' }, 'none'],
      ['pttl', { _id: 'k' }, -2],
    ],
  ],
  [
    'renames, copies and lists keys',
    [
      ['rename', { _id: 'a', body: { newkey: 'b' } }, { refused: 'ERR no such key' }],
      ['set', { _id: 'a', body: { value: 1, ex: 100 } }, 'OK'],
      ['rename', { _id: 'a', body: { newkey: 'b' } }, 'OK'],
      ['ttl', { _id: 'b' }, 100],
      ['copy', { _id: 'b', body: { destination: 'c' } }, 1],
      ['renamenx', { _id: 'b', body: { newkey: 'c' } }, 0],
      ['keys', { pattern: '[^a]' }, { unordered: ['b', 'c'] }],
      ['keys', { pattern: 'a*a*a*a*a*a*b' }, []],
      ['object', { subcommand: 'encoding', args: ['c'] }, 'int'],
      ['object', { subcommand: 'help', args: ['c'] }, { refused: '"subcommand"' }],
      ['unlink', { body: { keys: ['b', 'b', 'c'] } }, 2],
      ['dbsize', {}, 0],
      ['randomkey', {}, null],
    ],
  ],
  [
    'sorts by numbers, strings and other keys',
    [
      ['rpush', { _id: 'l', body: { values: [10, 9, 100] } }, 3],
      ['sort', { _id: 'l', body: {} }, ['9', '10', '100']],
      ['sort', { _id: 'l', body: { alpha: true, direction: 'desc', offset: 1, count: 1 } }, ['100']],
      ['mset', { body: { values: ['w_9', 3, 'w_10', 1, 'w_100', 2] } }, 'OK'],
      ['hset', { _id: 'h_9', body: { field: 'name', value: 'nine' } }, 1],
      ['sort', { _id: 'l', body: { by: 'w_*', get: ['#', 'h_*->name'] } }, ['10', null, '100', null, '9', 'nine']],
      ['sort', { _id: 'l', body: { store: 'out' } }, 3],
      ['lrange', { _id: 'out', start: 0, stop: -1 }, ['9', '10', '100']],
      ['rpush', { _id: 'l', body: { value: 'x' } }, 4],
      ['sort_ro', { _id: 'l' }, { refused: "ERR One or more scores can't be converted into double" }],
    ],
  ],
];
