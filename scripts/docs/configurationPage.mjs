import { cell } from './table.mjs';

/** docs/reference/configuration.md: every key of the `millrace` command, a table for each section. */
export function configurationPage(keys) {
  const sections = new Map();
  for (const key of keys) {
    const name = key.path.split('.')[0];
    sections.set(name, [...(sections.get(name) ?? []), key]);
  }
  return [
    '# Configuration',
    '',
    'Defaults ← `millrace.config.{json,mjs,ts}` ← environment ← command line (`--key value`). An unknown key or a',
    'bad value stops the start with one line that says which and why. The name below a key is its environment variable.',
    '',
    ...[...sections].flatMap(([name, own]) => [
      `## ${name}`,
      '',
      '| key | default | what it does |',
      '|---|---|---|',
      ...own.map(
        ({ path, environmentName, leaf }) =>
          `| \`${path}\`<br>\`${environmentName}\` | \`${JSON.stringify(leaf.default)}\` | ${cell(leaf.doc ?? '')} |`,
      ),
      '',
    ]),
  ].join('\n');
}
