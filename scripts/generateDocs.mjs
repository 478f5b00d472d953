// Writes what the code says of itself into docs/reference, and the documents of a server for the site to offer.
// usage: node scripts/generateDocs.mjs [--check]: with it nothing is written, and stale pages are a failure
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { listConfigKeys } from '../packages/kernel/dist/index.js';
import { NOTIFICATIONS } from '../packages/realtime/dist/index.js';
import { configSchema, installedPlugins } from '../packages/server/dist/index.js';
import { startTestKernel } from '../packages/testing/dist/index.js';
import { fileURLToPath } from 'node:url';
import { actionsPage, routesPage } from './docs/actionsPage.mjs';
import { changelog } from './docs/changelog.mjs';
import { configurationPage } from './docs/configurationPage.mjs';
import { eventsPage } from './docs/eventsPage.mjs';

const isChecking = process.argv.includes('--check');
const root = new URL('../', import.meta.url);
const docs = new URL('docs/', root);
const plugins = await installedPlugins();
const { kernel, close } = await startTestKernel({ plugins });

try {
  const actions = [...kernel.actions];
  const stale = [
    page('actions', actionsPage(actions)),
    page('routes', routesPage(actions)),
    page('configuration', configurationPage(listConfigKeys(configSchema(plugins)))),
    page('events', eventsPage(NOTIFICATIONS)),
    changes(),
  ].filter((name) => name !== null);
  if (!isChecking) await writeDescriptions();
  for (const name of stale) console.error(`${name} is stale: run pnpm docs`);
  process.exitCode = stale.length > 0 ? 1 : 0;
} finally {
  await close();
}

/** @returns the name of a page that would have to change and may not */
function page(name, text) {
  return write(`docs/reference/${name}.md`, text);
}

/** The copies in the packages come from the next build. */
function changes() {
  const file = new URL('CHANGELOG.md', root);
  const present = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return write('CHANGELOG.md', changelog(fileURLToPath(root), present));
}

function write(name, text) {
  const file = new URL(name, root);
  if (isChecking) return existsSync(file) && readFileSync(file, 'utf8') === text ? null : name;
  writeFileSync(file, text);
  return null;
}

/** The descriptions of a server with the shipped plugins, as files of the site. */
async function writeDescriptions() {
  const folder = new URL('site/.vitepress/dist/public/', docs);
  mkdirSync(folder, { recursive: true });
  for (const action of ['openapi', 'asyncapi']) {
    const { result } = await kernel.execute({ controller: 'server', action });
    writeFileSync(new URL(`${action}.json`, folder), JSON.stringify(result));
  }
}
