import type { MemoryArgument } from '@millrace/kernel';
import { inBody, top } from './argumentsAt.js';
import { integer, keyword, name, text } from './ArgumentKind.js';
import type { ArgumentSource, Home } from './ArgumentSource.js';
import { assertBitOffset, bitOffset } from './boundedOffsets.js';
import { reads, writes, type CommandDefinition } from './CommandDefinition.js';
import { invalid, missing, toList, toWord, type CommandPart } from './CommandPart.js';

const key = top.key();
const unit = keyword('BYTE', 'BIT');

/** `start`, `end` and `unit`; `isPair`: the first two only together, else `end` requires `start`. */
function bitRange(home: Home, isPair: boolean): CommandPart {
  return {
    args: [
      { name: 'start', home, kind: integer, isRequired: false },
      { name: 'end', home, kind: integer, isRequired: false },
      { name: 'unit', home, kind: unit, isRequired: false },
    ],
    append: (source, words) => {
      const [start, end] = [source.read('start', home), source.read('end', home)];
      if (start === undefined && end !== undefined) throw missing('start', '"start" with "end"');
      if (isPair && start !== undefined && end === undefined) throw missing('end', '"end" with "start"');
      if (start !== undefined) words.push(toWord('start', integer, start));
      if (end !== undefined) words.push(toWord('end', integer, end));
      const given = source.read('unit', home);
      if (given === undefined) return;
      if (end === undefined) throw missing('end', '"start" and "end" with "unit"');
      words.push(toWord('unit', unit, given));
    },
  };
}

/** `operations`: a flat list or a list of lists of words. */
function operations(home: Home): CommandPart {
  const expected = 'a list such as [["INCRBY", "u2", 100, 1]]';
  return {
    args: [{ name: 'operations', home, kind: { expected, schema: { type: 'array' } }, isRequired: true }],
    append: (source, words) => {
      const given = source.read('operations', home);
      if (given === undefined) throw missing('operations', expected);
      const flat = toList(given).flatMap((item) => toList(item ?? undefined));
      if (flat.length === 0) throw invalid('operations', expected, given);
      const own: MemoryArgument[] = flat.map((item) => toWord('operations', text, item));
      assertOffsets(own, source);
      words.push(...own);
    },
  };
}

/**
 * Checks the offsets of write operations: `<SET|INCRBY> <type> <offset>`, the offset in bits or `#` times the width.
 */
function assertOffsets(words: readonly MemoryArgument[], source: ArgumentSource): void {
  for (let at = 0; at + 2 < words.length; at++) {
    if (!/^(set|incrby)$/i.test(String(words[at]))) continue;
    const [, width = ''] = /^[iu](\d{1,3})$/i.exec(String(words[at + 1])) ?? [];
    const [, hash = '', offset = ''] = /^(#?)(\d+)$/.exec(String(words[at + 2])) ?? [];
    if (width === '' || offset === '') continue;
    const first = Number(offset) * (hash === '' ? 1 : Number(width));
    assertBitOffset(first + Number(width) - 1, source);
  }
}

/** Commands on bits. */
export const bitCommands: readonly CommandDefinition[] = [
  reads('bitcount', 'Counts the bits that are set.', 'GET /ms/_bitcount/:_id', [key, bitRange('body', true)]),
  writes('bitfield', 'Reads and writes integers of any width.', 'POST /ms/_bitfield/:_id', [key, operations('body')]),
  reads('bitfield_ro', 'Reads integers of any width.', 'GET /ms/_bitfield_ro/:_id', [key, operations('top')]),
  writes(
    'bitop',
    'Combines strings bit by bit.',
    ['POST /ms/_bitop/:operation/:destkey/:key', 'POST /ms/_bitop/:operation/:destkey', 'POST /ms/_bitop'],
    [inBody.choice('operation', 'AND', 'OR', 'XOR', 'NOT'), inBody.key('destkey'), inBody.list('key', 'keys', name)],
  ),
  reads('bitpos', 'Finds the first bit that is 0 or 1.', 'GET /ms/_bitpos/:_id/:bit', [
    key,
    top.choice('bit', '0', '1'),
    bitRange('top', false),
  ]),
  reads('getbit', 'Returns a bit.', 'GET /ms/_getbit/:_id/:offset', [key, top.integer('offset')]),
  writes('setbit', 'Sets a bit and returns the old one.', 'POST /ms/_setbit/:_id', [
    key,
    bitOffset,
    inBody.choice('value', '0', '1'),
  ]),
];
