import { show } from './actionsPage.mjs';
import { cell } from './table.mjs';

/** Types of MEM-10, by what messages of errors expect. */
const TYPES = new Map([
  ['a non-empty string or a number', 'key'],
  ['a string, number, boolean, object or array', 'value'],
  ['an integer of 64 bits (beyond 2^53 as a string)', 'integer'],
  ['a number or its decimal text', 'float'],
  ['a number, its decimal text, "inf" or "-inf"', 'score'],
  ['a number, "inf" or "-inf", with a leading "(" to exclude it', 'bound of scores'],
  ['a string', 'string'],
  ['a flag: true or false', 'flag'],
  ['a list', 'list'],
]);

/** docs/reference/memory-store-commands.md: the commands of the memory store by name. */
export function memoryCommandsPage(actions) {
  const commands = actions
    .filter(({ controller }) => controller === 'memoryStorage')
    .sort((a, b) => (a.action < b.action ? -1 : 1));
  return [
    '# Commands of the memory store',
    '',
    'An action runs the Redis command of its name; `georadius` and `georadiusbymember` run the variants that only read.',
    'Arguments marked `?` may be left out; those in *italics* are in the body. [The memory store](memory-store.md) has their types (MEM-10), and the rules of all commands.',
    '',
    '| Action | What it does | Routes | Arguments | Result |',
    '|---|---|---|---|---|',
    ...commands.map(
      ({ action, summary, routes, args, content, result }) =>
        `| ${[action, summary, routesOf(routes), argumentsOf(args, content), show(result)].map(cell).join(' | ')} |`,
    ),
    '',
  ].join('\n');
}

function routesOf(routes) {
  return routes.map(({ method, path }) => `\`${method} ${path}\``).join('<br>');
}

function argumentsOf(args, content) {
  const atTop = Object.entries(args).map(([name, { expected }]) => argument(`\`${name}\``, expected));
  const inBody = Object.entries(content?.properties ?? {}).map(([name, { description }]) =>
    argument(`*${name}*`, description),
  );
  return [...atTop, ...inBody].join(', ');
}

function argument(name, expected) {
  const [, kind, required] = /^(.*?)( \(required\))?$/.exec(expected);
  return `${name}${required === undefined ? '?' : ''} ${TYPES.get(kind) ?? kind}`;
}
