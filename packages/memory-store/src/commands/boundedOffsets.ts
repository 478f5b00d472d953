import { memoryErrors } from '@millrace/kernel';
import { integer, value } from './ArgumentKind.js';
import type { ArgumentSource } from './ArgumentSource.js';
import { missing, readOne, toWord, type CommandPart } from './CommandPart.js';

/**
 * Offsets determine how much memory a command allocates, so those beyond the longest value are refused before it runs,
 * with the message of Redis (whose limit is half a gigabyte).
 */
export const TOO_LONG = 'ERR string exceeds maximum allowed size (proto-max-bulk-len)';
export const BAD_BIT_OFFSET = 'ERR bit offset is not an integer or out of range';

function readOffset(source: ArgumentSource, name: string): string {
  const given = source.read(name, 'body');
  if (given === undefined) throw missing(name, integer.expected);
  return toWord(name, integer, given);
}

/** `offset` and `value` of setrange, in bytes. */
export const setRangeOffset: CommandPart = {
  args: [
    { name: 'offset', home: 'body', kind: integer, isRequired: true },
    { name: 'value', home: 'body', kind: value, isRequired: true },
  ],
  append: (source, words) => {
    const offset = readOffset(source, 'offset');
    const given = readOne(source, 'value', 'body');
    if (given === undefined) throw missing('value', value.expected);
    const text = toWord('value', value, given);
    if (text !== '' && Number(offset) + Buffer.byteLength(text) > source.limits.maxValueBytes)
      throw memoryErrors.command_error({ message: TOO_LONG });
    words.push(offset, text);
  },
};

/** `offset` of setbit, in bits. */
export const bitOffset: CommandPart = {
  args: [{ name: 'offset', home: 'body', kind: integer, isRequired: true }],
  append: (source, words) => {
    const offset = readOffset(source, 'offset');
    assertBitOffset(Number(offset), source);
    words.push(offset);
  },
};

/** @throws memory.command_error for a bit beyond the longest value */
export function assertBitOffset(offset: number, source: ArgumentSource): void {
  if (offset >= source.limits.maxValueBytes * 8) throw memoryErrors.command_error({ message: BAD_BIT_OFFSET });
}
