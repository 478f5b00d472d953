import { isJsonObject } from '@millrace/kernel';
import { inBody, top } from './argumentsAt.js';
import { integer, name, text } from './ArgumentKind.js';
import { reads, writes, type CommandDefinition } from './CommandDefinition.js';
import { invalid, missing, readFlag, toWord, type CommandPart } from './CommandPart.js';
import { waitMs } from './keyParts.js';

const key = top.key();

/** `maxlen` or `minid`, with `approximate` and `limit`. */
function trimming(isRequired: boolean): CommandPart {
  return {
    args: [
      ...inBody.option('maxlen', integer).args,
      ...inBody.option('minid', text).args,
      ...inBody.flag('approximate').args,
      ...inBody.option('limit', integer).args,
    ],
    append: (source, words) => {
      const [maxlen, minid] = [source.read('maxlen', 'body'), source.read('minid', 'body')];
      if (maxlen !== undefined && minid !== undefined) throw invalid('minid', 'absent with "maxlen"', minid);
      if (maxlen === undefined && minid === undefined) {
        if (isRequired) throw missing('maxlen', '"maxlen" or "minid"');
        return;
      }
      words.push(maxlen === undefined ? 'MINID' : 'MAXLEN');
      if (readFlag(source, 'approximate', 'body')) words.push('~');
      if (maxlen === undefined) words.push(toWord('minid', text, minid));
      else words.push(toWord('maxlen', integer, maxlen));
      inBody.option('limit', integer, 'LIMIT').append(source, words);
    },
  };
}

const entryId: CommandPart = {
  args: inBody.option('id', text).args,
  append: (source, words) => {
    const id = source.read('id', 'body') ?? '*';
    words.push(toWord('id', text, id));
  },
};

/** `streams`: an object of key → last id. */
const streams: CommandPart = {
  args: [
    {
      name: 'streams',
      home: 'body',
      kind: { expected: 'an object of key → last id', schema: { type: 'object' } },
      isRequired: true,
    },
  ],
  append: (source, words) => {
    const given = source.read('streams', 'body');
    if (given === undefined) throw missing('streams', 'an object of key → last id');
    if (!isJsonObject(given) || Object.keys(given).length === 0)
      throw invalid('streams', 'an object of key → last id', given);
    const entries = Object.entries(given);
    words.push('STREAMS', ...entries.map(([each]) => toWord('streams', name, each)));
    words.push(...entries.map(([, id]) => toWord('streams', text, id)));
  },
};

/** Commands on streams. */
export const streamCommands: readonly CommandDefinition[] = [
  writes('xadd', 'Appends an entry.', 'POST /ms/_xadd/:_id', [
    key,
    inBody.flag('nomkstream'),
    trimming(false),
    entryId,
    inBody.pairs('field', 'value'),
  ]),
  writes('xdel', 'Removes entries.', 'DELETE /ms/_xdel/:_id', [key, inBody.list('id', 'ids', text)]),
  reads('xlen', 'Counts entries.', 'GET /ms/_xlen/:_id', [key]),
  reads('xrange', 'Returns entries by id.', 'GET /ms/_xrange/:_id/:start/:end', [
    key,
    top.text('start'),
    top.text('end'),
    top.option('count', integer, 'COUNT'),
  ]),
  reads(
    'xread',
    'Returns the entries behind ids, waiting for them if asked.',
    'POST /ms/_xread',
    [inBody.option('count', integer, 'COUNT'), waitMs('block', false, 'BLOCK'), streams],
    { blocks: true },
  ),
  reads('xrevrange', 'Returns entries by descending id.', 'GET /ms/_xrevrange/:_id/:end/:start', [
    key,
    top.text('end'),
    top.text('start'),
    top.option('count', integer, 'COUNT'),
  ]),
  writes('xtrim', 'Removes the oldest entries.', 'POST /ms/_xtrim/:_id', [key, trimming(true)]),
];
