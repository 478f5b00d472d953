import { top } from './argumentsAt.js';
import { integer } from './ArgumentKind.js';
import { missing, type CommandPart } from './CommandPart.js';

/** `count?` and a flag that requires it. */
export function countWith(flag: string): CommandPart {
  const parts = [top.option('count', integer), top.flag(flag)];
  return {
    args: parts.flatMap(({ args }) => args),
    append: (source, words) => {
      const before = words.length;
      for (const part of parts) part.append(source, words);
      if (words.length > before && source.read('count', 'top') === undefined)
        throw missing('count', `a count with "${flag}"`);
    },
  };
}
