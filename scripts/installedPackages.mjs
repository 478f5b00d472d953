import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Every package in a `node_modules`, nested ones too.
 * @param {string} modules path of the folder
 * @returns {Promise<{ name: string, hasScript: boolean, bytes: number }[]>} `bytes`: blocks of its files, as `du` counts
 */
export async function installedPackages(modules) {
  const found = [];
  for (const entry of await readdir(modules).catch(() => [])) {
    if (entry.startsWith('.')) continue;
    const path = join(modules, entry);
    if (entry.startsWith('@')) {
      for (const name of await readdir(path)) found.push(...(await packageAt(join(path, name))));
    } else found.push(...(await packageAt(path)));
  }
  return found;
}

async function packageAt(path) {
  const text = await readFile(join(path, 'package.json'), 'utf8').catch(() => undefined);
  if (text === undefined) return [];
  const { name, scripts = {}, gypfile } = JSON.parse(text);
  const hasScript =
    ['preinstall', 'install', 'postinstall'].some((script) => scripts[script] !== undefined) || gypfile === true;
  return [{ name, hasScript, bytes: await bytesOf(path) }, ...(await installedPackages(join(path, 'node_modules')))];
}

async function bytesOf(path) {
  let bytes = 0;
  for (const entry of await readdir(path, { withFileTypes: true })) {
    if (entry.name === 'node_modules') continue;
    const inner = join(path, entry.name);
    bytes += entry.isDirectory() ? await bytesOf(inner) : (await stat(inner)).blocks * 512;
  }
  return bytes;
}
