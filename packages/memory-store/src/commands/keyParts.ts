import { inBody, readKeys } from './argumentsAt.js';
import { integer, keyword, name, text, type ArgumentKind } from './ArgumentKind.js';
import { invalid, missing, toList, toWord, type CommandPart } from './CommandPart.js';

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const RESERVED_CHANNEL = /^(?:millrace:|__key)/;
const subcommand = keyword('ENCODING', 'REFCOUNT', 'IDLETIME', 'FREQ');

/** `content` of restore: base64, passed on as bytes (MEM-23). */
export const base64Content: CommandPart = {
  args: [{ name: 'content', home: 'body', kind: text, isRequired: true }],
  append: (source, words) => {
    const content = source.read('content', 'body');
    if (content === undefined) throw missing('content', 'base64 as dump gives it');
    if (typeof content !== 'string' || !BASE64.test(content))
      throw invalid('content', 'base64 as dump gives it', content);
    words.push(Buffer.from(content, 'base64'));
  },
};

/** `subcommand` and the key of object, which is in `args` or in `_id`. */
export const objectParts: CommandPart = {
  args: [
    { name: 'subcommand', home: 'top', kind: subcommand, isRequired: true },
    { name: 'args', home: 'top', kind: name, isRequired: false },
  ],
  append: (source, words) => {
    const given = source.read('subcommand', 'top');
    if (given === undefined) throw missing('subcommand', subcommand.expected);
    const [first] = toList(source.read('args', 'top'));
    const key = first === undefined ? readKeys(source, 'args', 'top')[0] : toWord('args', name, first);
    words.push(toWord('subcommand', subcommand, given), key ?? '');
  },
};

/** A channel; those reserved by the service or Redis are refused (MEM-61). */
export const channel = inBody.one('channel', {
  expected: 'a name that begins neither with "millrace:" nor with "__key"',
  schema: name.schema,
  toWord: (value) => {
    const word = name.toWord(value);
    return word === undefined || RESERVED_CHANNEL.test(word) ? undefined : word;
  },
} satisfies ArgumentKind);

/** A wait in milliseconds, reduced to the longest allowed; `prefix` is inserted before it. */
export function waitMs(argument: string, isRequired: boolean, ...prefix: string[]): CommandPart {
  return {
    args: [{ name: argument, home: 'body', kind: integer, isRequired }],
    append: (source, words) => {
      const given = source.read(argument, 'body');
      if (given === undefined) {
        if (isRequired) throw missing(argument, 'milliseconds to wait');
        return;
      }
      const waitMs = Number(toWord(argument, integer, given));
      if (waitMs < 0) throw invalid(argument, 'milliseconds of at least 0', given);
      const longest = source.limits.maxBlockMs;
      words.push(...prefix, String(waitMs === 0 || waitMs > longest ? longest : waitMs));
    },
  };
}
