import type { Home } from './ArgumentSource.js';
import { argumentsAt } from './argumentsAt.js';
import { LIST, integer, keyword, text } from './ArgumentKind.js';
import { toList, toWord, type CommandPart } from './CommandPart.js';

/** The options of sort except `store`; `offset` has an effect only with `count`. */
export function sortParts(home: Home): CommandPart {
  const at = argumentsAt(home);
  const by = at.option('by', text, 'BY');
  const direction = at.option('direction', keyword('ASC', 'DESC'));
  const alpha = at.flag('alpha');
  return {
    args: [
      ...[by, direction, alpha].flatMap(({ args }) => args),
      { name: 'get', home, kind: LIST, isRequired: false },
      { name: 'offset', home, kind: integer, isRequired: false },
      { name: 'count', home, kind: integer, isRequired: false },
    ],
    append: (source, words) => {
      by.append(source, words);
      const count = source.read('count', home);
      if (count !== undefined) {
        const offset = source.read('offset', home) ?? 0;
        words.push('LIMIT', toWord('offset', integer, offset), toWord('count', integer, count));
      }
      for (const pattern of toList(source.read('get', home))) words.push('GET', toWord('get', text, pattern));
      direction.append(source, words);
      alpha.append(source, words);
    },
  };
}
