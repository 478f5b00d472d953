// Builds the documentation site of docs/ into docs/site/dist. Dead links fail it. Needs `npm run bootstrap`.
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'vitepress';
import { installedPlugins } from '../packages/server/dist/index.js';
import { startTestKernel } from '../packages/testing/dist/index.js';

const docs = new URL('../docs/', import.meta.url);
const files = new URL('site/.vitepress/dist/public/', docs);

mkdirSync(files, { recursive: true });
copyFileSync(new URL('pictures/logo.svg', docs), new URL('logo.svg', files));
await writeDescriptions();
await build(fileURLToPath(new URL('site', docs)));

/** Of a server with the shipped plugins. The API explorer is made of them. */
async function writeDescriptions() {
  const { kernel, close } = await startTestKernel({ plugins: await installedPlugins() });
  try {
    for (const action of ['openapi', 'asyncapi']) {
      const { result } = await kernel.execute({ controller: 'server', action });
      writeFileSync(new URL(`${action}.json`, files), JSON.stringify(result));
    }
  } finally {
    await close();
  }
}
