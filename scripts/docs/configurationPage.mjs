import { cell } from './table.mjs';

/** docs/reference/configuration.md: every key of the `millrace` command. */
export function configurationPage(keys) {
  return [
    '# Configuration',
    '',
    'Made by `pnpm docs`. Defaults ← `millrace.config.{json,mjs}` ← environment ← command line (`--key value`). An unknown key or a',
    'bad value stops the start with one line that says which and why.',
    '',
    '| key | environment | default | what it does |',
    '|---|---|---|---|',
    ...keys.map(
      ({ path, environmentName, leaf }) =>
        `| \`${path}\` | \`${environmentName}\` | \`${JSON.stringify(leaf.default)}\` | ${cell(leaf.doc ?? '')} |`,
    ),
    '',
  ].join('\n');
}
