// `pnpm docs`: writes docs/reference/actions.md and docs/reference/configuration.md from the code.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listConfigKeys } from '../packages/kernel/dist/index.js';
import { Kernel, configSchema } from '../packages/server/dist/index.js';

const reference = (name) => new URL(`../docs/reference/${name}.md`, import.meta.url);
const dataDir = mkdtempSync(join(tmpdir(), 'millrace-docs-'));
const kernel = new Kernel({
  config: { http: { port: 0 }, server: { dataDir }, log: { level: 'silent' } },
});
await kernel.start();

const provided = [];
const announced = [];
for (const action of kernel.actions) (action.run === undefined ? announced : provided).push(action);
const lines = [
  '# Actions',
  '',
  'Made by `pnpm docs` from the action table. Every action is also a message with `controller` and `action`.',
  '',
];
for (const controller of [...new Set(provided.map((action) => action.controller))].sort()) {
  lines.push(
    `## ${controller}`,
    '',
    '| action | routes | arguments | what it does |',
    '|---|---|---|---|',
  );
  for (const action of provided.filter((each) => each.controller === controller)) {
    const routes = action.routes.map(({ method, path }) => `\`${method} ${path}\``).join('<br>');
    const args = Object.entries(action.args)
      .map(([name, argument]) => `\`${name}\`${argument.required ? '' : '?'}: ${argument.expected}`)
      .join('<br>');
    lines.push(
      `| ${action.action} | ${routes} | ${args.replaceAll('|', '\\|')} | ${action.summary.replaceAll('|', '\\|')} |`,
    );
  }
  lines.push('');
}
lines.push(
  '## Announced, not provided yet',
  '',
  announced.map((action) => `${action.controller}.${action.action}`).join(', '),
  '',
);
writeFileSync(reference('actions'), lines.join('\n'));

const config = [
  '# Configuration',
  '',
  'Made by `pnpm docs`. Defaults ← `millrace.config.{json,mjs}` ← environment ← command line (`--key value`).',
  '',
  '| key | environment | default | what it does |',
  '|---|---|---|---|',
];
for (const { path, environmentName, leaf } of listConfigKeys(configSchema([]))) {
  config.push(
    `| \`${path}\` | \`${environmentName}\` | \`${JSON.stringify(leaf.default)}\` | ${(leaf.doc ?? '').replaceAll('|', '\\|')} |`,
  );
}
writeFileSync(reference('configuration'), `${config.join('\n')}\n`);

await kernel.stop();
rmSync(dataDir, { recursive: true, force: true });
