import { failure, SYNTAX_ERROR } from '../failure.js';
import { wordAt } from '../words.js';

/** `numkeys key…`: the keys, and the words after them. */
export function readKeyCount(
  args: readonly string[],
  message = 'ERR numkeys should be greater than 0',
): { readonly keys: readonly string[]; readonly rest: readonly string[] } {
  const count = Number(wordAt(args, 0));
  if (!Number.isInteger(count) || count < 1) throw failure(message);
  if (count > args.length - 1) throw failure(SYNTAX_ERROR);
  return { keys: args.slice(1, count + 1), rest: args.slice(count + 1) };
}
