import type { MemoryStoreStory } from './MemoryStoreCall.js';

const SICILY = [13.361389, 38.115556, 'Palermo', 15.087269, 37.502669, 'Catania'];

/** HyperLogLog, geo commands, streams and commands on the store itself. */
export const specialStories: readonly MemoryStoreStory[] = [
  [
    'estimates numbers of elements',
    [
      ['pfadd', { _id: 'a', body: { elements: Array.from({ length: 500 }, (_, at) => at) } }, 1],
      ['pfadd', { _id: 'a', body: { element: 1 } }, 0],
      ['pfadd', { _id: 'b', body: { element: 'x' } }, 1],
      ['pfcount', { keys: ['a', 'b'] }, 504],
      ['pfmerge', { body: { destkey: 'c', sourcekeys: ['a', 'b'] } }, 'OK'],
      ['pfcount', { _id: 'c' }, 504],
      ['pfadd', { _id: 'd', body: {} }, 1],
      ['pfcount', { _id: 'd' }, 0],
    ],
  ],
  [
    'finds places',
    [
      ['geoadd', { _id: 'g', body: { points: SICILY } }, 2],
      ['geoadd', { _id: 'g', body: { points: [{ longitude: 13.583333, latitude: 37.316667, name: 'Agrigento' }] } }, 1],
      ['geodist', { _id: 'g', member1: 'Palermo', member2: 'Catania', unit: 'MI' }, '103.3182'],
      ['geohash', { _id: 'g', members: ['Palermo', 'none'] }, ['sqc8b49rny0', null]],
      ['geopos', { _id: 'g', members: ['Catania'] }, [['15.08726745843887329', '37.50266842333162032']]],
      [
        'georadius',
        { _id: 'g', longitude: 15, latitude: 37, distance: 200, unit: 'km', sort: 'asc', withdist: true, count: 2 },
        [
          ['Catania', '56.4413'],
          ['Agrigento', '130.4235'],
        ],
      ],
      [
        'georadiusbymember',
        { _id: 'g', member: 'Agrigento', distance: 100, unit: 'km', sort: 'ASC' },
        ['Agrigento', 'Palermo'],
      ],
      ['geosearch', { _id: 'g', member: 'Palermo', width: 400, height: 100, unit: 'km', sort: 'desc' }, ['Palermo']],
      [
        'geosearchstore',
        { _id: 'g', body: { destination: 'o', member: 'Palermo', distance: 100, unit: 'km', storedist: true } },
        2,
      ],
      ['zrange', { _id: 'o', start: 0, stop: 0, withscores: true }, ['Palermo', '0']],
      [
        'geoadd',
        { _id: 'g', body: { longitude: 200, latitude: 10, name: 'x' } },
        { refused: 'ERR invalid longitude,latitude pair 200.000000,10.000000' },
      ],
      ['georadius', { _id: 'g', longitude: 15, latitude: 37, distance: 1 }, { refused: '"unit"' }],
    ],
  ],
  [
    'keeps streams',
    [
      ['xadd', { _id: 's', body: { id: '1-1', field: 'a', value: 1 } }, '1-1'],
      ['xadd', { _id: 's', body: { id: '1-*', values: { b: 2, c: 3 } } }, '1-2'],
      [
        'xadd',
        { _id: 's', body: { id: '1-1', field: 'a', value: 1 } },
        { refused: 'ERR The ID specified in XADD is equal or smaller than the target stream top item' },
      ],
      ['xadd', { _id: 'none', body: { field: 'a', value: 1, nomkstream: true } }, null],
      ['xrange', { _id: 's', start: '-', end: '+', count: 1 }, [['1-1', ['a', '1']]]],
      ['xrevrange', { _id: 's', end: '+', start: '(1-1' }, [['1-2', ['b', '2', 'c', '3']]]],
      ['xread', { body: { streams: { s: '1-1' } } }, [['s', [['1-2', ['b', '2', 'c', '3']]]]]],
      ['xread', { body: { streams: { s: '$' } } }, null],
      ['xdel', { _id: 's', body: { ids: ['1-2', '9-9'] } }, 1],
      ['xadd', { _id: 's', body: { id: '1-2', field: 'a', value: 1 } }, { refused: 'ERR The ID specified' }],
      ['xtrim', { _id: 's', body: { maxlen: 0 } }, 1],
      ['xlen', { _id: 's' }, 0],
      ['type', { _id: 's' }, 'stream'],
    ],
  ],
  [
    'describes itself, and refuses to publish on reserved channels (MEM-61)',
    [
      ['ping', {}, 'PONG'],
      ['publish', { body: { channel: 'c', message: 'm' } }, 0],
      ['publish', { body: { channel: 'millrace:c', message: 'm' } }, { refused: '"channel"' }],
      ['publish', { body: { channel: '__keyspace@5__:k', message: 'm' } }, { refused: '"channel"' }],
      ['wait', { body: { numslaves: 0, timeout: 10 } }, 0],
      ['bgsave', {}, 'Background saving started'],
      ['set', { _id: 'k', body: { value: 1 } }, 'OK'],
      ['flushdb', {}, 'OK'],
      ['dbsize', {}, 0],
    ],
  ],
  [
    'reads arguments by their rules (MEM-5, MEM-7, MEM-10)',
    [
      ['set', { body: { _id: 'k', value: 'in the body' } }, 'OK'],
      ['append', { _id: 'k', value: 'top', body: { value: '!' } }, 12],
      ['get', { _id: 'k' }, 'in the body!'],
      ['set', { _id: 7, body: { value: { deep: [true] } } }, 'OK'],
      ['get', { _id: '7' }, '{"deep":[true]}'],
      ['sadd', { _id: 's', body: { members: 'lone' } }, 1],
      ['get', {}, { refused: '"_id"' }],
      ['get', { _id: '' }, { refused: '"_id"' }],
      ['get', { _id: true }, { refused: '"_id"' }],
      ['incrby', { _id: 'n', body: { value: 0.1 } }, { refused: '"value"' }],
      ['incrby', { _id: 'n', body: { value: '9223372036854775808' } }, { refused: '"value"' }],
      ['expire', { _id: 'n', body: { seconds: true } }, { refused: '"seconds"' }],
      ['set', { _id: 'n', body: { value: 1, nx: 'maybe' } }, { refused: '"nx"' }],
      ['lindex', { _id: 'n', idx: null }, { refused: '"idx"' }],
    ],
  ],
];
