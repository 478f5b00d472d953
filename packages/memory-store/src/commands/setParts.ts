import { inBody } from './argumentsAt.js';
import { integer, value } from './ArgumentKind.js';
import { invalid, missing, readFlag, readOne, toWord, type CommandPart } from './CommandPart.js';

const expiry = inBody.atMostOne(
  inBody.option('ex', integer, 'EX'),
  inBody.option('px', integer, 'PX'),
  inBody.option('exat', integer, 'EXAT'),
  inBody.option('pxat', integer, 'PXAT'),
  inBody.flag('keepttl'),
);
const condition = inBody.atMostOne(inBody.flag('nx'), inBody.flag('xx'));
const givesOld = inBody.flag('get');
/** If none of these is present, the whole body is the value (MEM-14). */
const COMPATIBLE = ['value', 'ex', 'px', 'nx', 'xx'];

/** The arguments of `set` after the key. */
export const setParts: CommandPart = {
  args: [
    { name: 'value', home: 'body', kind: value, isRequired: false },
    ...[expiry, condition, givesOld].flatMap(({ args }) => args),
  ],
  append: (source, words) => {
    const isWhole = COMPATIBLE.every((name) => source.read(name, 'body') === undefined);
    if (isWhole) {
      const { wholeBody } = source;
      if (wholeBody === null) throw missing('value', value.expected);
      words.push(JSON.stringify(wholeBody));
      return;
    }
    const given = readOne(source, 'value', 'body');
    if (given === undefined) throw missing('value', `${value.expected}, in addition to the options`);
    words.push(toWord('value', value, given));
    if (readFlag(source, 'nx', 'body') && readFlag(source, 'xx', 'body'))
      throw invalid('xx', 'absent with "nx"', 'both');
    for (const part of [expiry, condition, givesOld]) part.append(source, words);
  },
};
