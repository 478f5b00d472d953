// Writes what the code says of itself into docs/reference, and the documents of a server for the site to offer.
// usage: node scripts/generateDocs.mjs [--check]: with it nothing is written, and stale pages are a failure
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { listConfigKeys } from '../packages/kernel/dist/index.js';
import { NOTIFICATIONS } from '../packages/realtime/dist/index.js';
import { configSchema, installedPlugins } from '../packages/server/dist/index.js';
import { startTestKernel } from '../packages/testing/dist/index.js';
import { actionsPage, routesPage } from './docs/actionsPage.mjs';
import { configurationPage } from './docs/configurationPage.mjs';
import { eventsPage } from './docs/eventsPage.mjs';

const isChecking = process.argv.includes('--check');
const docs = new URL('../docs/', import.meta.url);
const plugins = await installedPlugins();
const { kernel, close } = await startTestKernel({ plugins });

try {
  const actions = [...kernel.actions];
  const stale = [
    page('actions', actionsPage(actions)),
    page('routes', routesPage(actions)),
    page('configuration', configurationPage(listConfigKeys(configSchema(plugins)))),
    page('events', eventsPage(NOTIFICATIONS)),
  ].filter((name) => name !== null);
  if (!isChecking) await writeDescriptions();
  for (const name of stale) console.error(`docs/reference/${name}.md is stale: run pnpm docs`);
  process.exitCode = stale.length > 0 ? 1 : 0;
} finally {
  await close();
}

/** @returns the name of a page that would have to change and may not */
function page(name, text) {
  const file = new URL(`reference/${name}.md`, docs);
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
