// Writes types made of the tables of a server with all shipped plugins: actions, notifications, configuration, errors.
// Needs the bundles, and is followed by `tsc -b`: see `npm run build`. The files are not in git.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { listConfigKeys } from '../packages/kernel/dist/index.js';
import { NOTIFICATIONS } from '../packages/realtime/dist/index.js';
import { configSchema, installedPlugins } from '../packages/server/dist/index.js';
import { startTestKernel } from '../packages/testing/dist/index.js';
import { actionTypes, errorIds, notificationTypes } from './docs/actionTypes.mjs';
import { configTypes } from './docs/configTypes.mjs';
import { registeredErrors } from './docs/registeredErrors.mjs';

const root = new URL('../', import.meta.url);
const plugins = await installedPlugins();
const { kernel, close } = await startTestKernel({ plugins });
try {
  await save('packages/actions/src/ActionMap.ts', actionTypes, [...kernel.actions]);
  await save('packages/actions/src/Notification.ts', notificationTypes, NOTIFICATIONS);
  await save('packages/server/src/configuration/KernelConfig.ts', configTypes, listConfigKeys(configSchema(plugins)));
  await save('packages/client/src/errors/ErrorId.ts', errorIds, registeredErrors().errors.keys());
} finally {
  await close();
}

/** An unchanged file keeps its time, so that nothing is compiled again. */
async function save(path, write, table) {
  const file = fileURLToPath(new URL(path, root));
  const text = await write(table, file);
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text);
}
