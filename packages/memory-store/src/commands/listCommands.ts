import { inBody, top } from './argumentsAt.js';
import { LIST, integer, name, value } from './ArgumentKind.js';
import { reads, writes, type CommandDefinition } from './CommandDefinition.js';
import { missing, toList, toWord, type CommandPart } from './CommandPart.js';

const key = top.key();
const ends = ['LEFT', 'RIGHT'] as const;
const countOption = inBody.option('count', integer);
const move = [inBody.key('source'), inBody.key('destination')];
const moveEnds = [inBody.choice('wherefrom', ...ends), inBody.choice('whereto', ...ends)];
const multiPop = [
  inBody.keys({ isCounted: true }),
  inBody.choice('where', ...ends),
  inBody.option('count', integer, 'COUNT'),
];
const push = [key, inBody.list('value', 'values', value)];
const pushToExisting = [key, inBody.value(), inBody.list('', 'values', value, 0)];

/** The keys of a blocking pop: `_id`, then `src`, then its alias `keys`; at least one. */
export const waitedKeys: CommandPart = {
  args: [
    { name: '_id', home: 'top', kind: name, isRequired: false },
    { name: 'src', home: 'body', kind: LIST, isRequired: false },
  ],
  append: (source, words) => {
    const keys = [
      ...toList(source.read('_id', 'top')),
      ...toList(source.read('src', 'body')),
      ...toList(source.read('keys', 'body')),
    ];
    if (keys.length === 0) throw missing('src', 'a key as "_id", or a list "src" of keys');
    words.push(...keys.map((each) => toWord('src', name, each)));
  },
};

const waitingPop = [waitedKeys, inBody.timeout()];

/** Commands on lists. */
export const listCommands: readonly CommandDefinition[] = [
  writes(
    'blmove',
    'Moves an element to another list; waits for one.',
    'POST /ms/_blmove',
    [...move, ...moveEnds, inBody.timeout()],
    { blocks: true },
  ),
  writes(
    'blmpop',
    'Removes and returns elements of the first list that is not empty.',
    ['POST /ms/_blmpop', 'POST /ms/_blmpop/:_id'],
    [inBody.timeout(), ...multiPop],
    { blocks: true },
  ),
  writes(
    'blpop',
    'Removes and returns the first element; waits for one.',
    ['POST /ms/_blpop', 'POST /ms/_blpop/:_id'],
    waitingPop,
    { blocks: true },
  ),
  writes(
    'brpop',
    'Removes and returns the last element; waits for one.',
    ['POST /ms/_brpop', 'POST /ms/_brpop/:_id'],
    waitingPop,
    { blocks: true },
  ),
  writes(
    'brpoplpush',
    'Moves the last element to another list; waits for one.',
    'POST /ms/_brpoplpush',
    [...move, inBody.timeout()],
    { blocks: true },
  ),
  reads('lindex', 'Returns an element by position.', 'GET /ms/_lindex/:_id/:idx', [key, top.integer('idx')]),
  writes('linsert', 'Inserts before or after an element.', 'POST /ms/_linsert/:_id', [
    key,
    inBody.choice('position', 'BEFORE', 'AFTER'),
    inBody.value('pivot'),
    inBody.value(),
  ]),
  reads('llen', 'Counts elements.', 'GET /ms/_llen/:_id', [key]),
  writes('lmove', 'Moves an element to another list.', 'POST /ms/_lmove', [...move, ...moveEnds]),
  writes(
    'lmpop',
    'Removes and returns elements of the first list that is not empty.',
    ['POST /ms/_lmpop', 'POST /ms/_lmpop/:_id'],
    multiPop,
  ),
  writes('lpop', 'Removes and returns the first elements.', 'POST /ms/_lpop/:_id', [key, countOption]),
  reads(
    'lpos',
    'Finds an element.',
    ['GET /ms/_lpos/:_id/:element', 'GET /ms/_lpos/:_id'],
    [
      key,
      top.value('element'),
      top.option('rank', integer, 'RANK'),
      top.option('count', integer, 'COUNT'),
      top.option('maxlen', integer, 'MAXLEN'),
    ],
  ),
  writes('lpush', 'Prepends elements.', 'POST /ms/_lpush/:_id', push),
  writes('lpushx', 'Prepends elements to a list that exists.', 'POST /ms/_lpushx/:_id', pushToExisting),
  reads('lrange', 'Returns elements by position.', 'GET /ms/_lrange/:_id/:start/:stop', [
    key,
    top.integer('start'),
    top.integer('stop'),
  ]),
  writes('lrem', 'Removes equal elements.', 'DELETE /ms/_lrem/:_id', [key, inBody.integer('count'), inBody.value()]),
  writes('lset', 'Replaces an element.', 'POST /ms/_lset/:_id', [key, inBody.integer('idx'), inBody.value()]),
  writes('ltrim', 'Removes all elements outside a range.', 'POST /ms/_ltrim/:_id', [
    key,
    inBody.integer('start'),
    inBody.integer('stop'),
  ]),
  writes('rpop', 'Removes and returns the last elements.', 'POST /ms/_rpop/:_id', [key, countOption]),
  writes('rpoplpush', 'Moves the last element to another list.', 'POST /ms/_rpoplpush', move),
  writes('rpush', 'Appends elements.', 'POST /ms/_rpush/:_id', push),
  writes('rpushx', 'Appends elements to a list that exists.', 'POST /ms/_rpushx/:_id', pushToExisting),
];
