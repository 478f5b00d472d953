// Writes what the tables of actions, configuration keys and notifications hold: pages of docs/reference. And the names of the
// search language, which the console completes.
// usage: node scripts/generateDocs.mjs [--check]: with it nothing is written, and stale files are a failure
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import ts from 'typescript';
import { listConfigKeys } from '../packages/kernel/dist/index.js';
import { NOTIFICATIONS } from '../packages/realtime/dist/index.js';
import { configSchema, describeCommands, installedPlugins } from '../packages/server/dist/index.js';
import { startTestKernel } from '../packages/testing/dist/index.js';
import { actionsPage } from './docs/actionsPage.mjs';
import { commandLinePage } from './docs/commandLinePage.mjs';
import { changelog } from './docs/changelog.mjs';
import { configurationPage } from './docs/configurationPage.mjs';
import { eventsPage } from './docs/eventsPage.mjs';
import { memoryCommandsPage } from './docs/memoryCommandsPage.mjs';
import { packagePage } from './docs/packagePage.mjs';
import { PACKAGE_PAGES } from './docs/packagePages.mjs';
import { searchWords } from './docs/searchWords.mjs';

const WORDS = 'plugins/console/page/documents/searchWords.json';
const isChecking = process.argv.includes('--check');
const root = new URL('../', import.meta.url);
const plugins = await installedPlugins();
const { kernel, close } = await startTestKernel({ plugins });

try {
  const actions = [...kernel.actions];
  const keys = listConfigKeys(configSchema(plugins));
  const stale = [
    savePage('docs/reference/actions.md', actionsPage(actions)),
    savePage('docs/reference/memory-store-commands.md', memoryCommandsPage(actions)),
    savePage('docs/reference/configuration.md', configurationPage(keys)),
    savePage('docs/reference/command-line.md', commandLinePage(describeCommands())),
    savePage('docs/reference/events.md', eventsPage(NOTIFICATIONS)),
    ...(await savePackagePages()),
    save(WORDS, await format(JSON.stringify(await searchWords()), { ...(await rulesOf(WORDS)), parser: 'json' })),
    changes(),
  ].filter((name) => name !== null);
  for (const path of stale) console.error(`${path} is stale: run node scripts/generateDocs.mjs`);
  process.exitCode = stale.length > 0 ? 1 : 0;
} finally {
  await close();
}

/** The copies in the packages come from the next build. @returns the path where it would have to change and may not */
function changes() {
  const file = new URL('CHANGELOG.md', root);
  const present = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return save('CHANGELOG.md', changelog(fileURLToPath(root), present));
}

/** @returns the path of a file that would have to change and may not */
function save(path, text) {
  const file = new URL(path, root);
  if (isChecking) return existsSync(file) && readFileSync(file, 'utf8') === text ? null : path;
  writeFileSync(file, text);
  return null;
}

function savePage(path, text) {
  return save(path, `<!-- Made by \`node scripts/generateDocs.mjs\`. Do not edit. -->\n\n${text}`);
}

/** As Prettier writes them: signatures come from sources of any length. */
async function savePackagePages() {
  const saved = [];
  for (const { path, name, ...page } of PACKAGE_PAGES) {
    const folder = fileURLToPath(new URL(`packages/${name}/`, root));
    const { config } = ts.readConfigFile(`${folder}tsconfig.json`, ts.sys.readFile);
    const { options } = ts.parseJsonConfigFileContent(config, ts.sys, folder);
    const text = packagePage({ ...page, folder: `${folder}src/` }, options);
    saved.push(savePage(path, await format(text, { ...(await rulesOf(path)), parser: 'markdown' })));
  }
  return saved;
}

function rulesOf(path) {
  return resolveConfig(fileURLToPath(new URL(path, root)));
}
