// Measures what `npm install <package>` puts into an empty folder: our packages from their tarballs, the rest from npm, with
// an empty cache and an empty home. Needs a build and the network.
// usage: node scripts/measureInstall.mjs [package]…      (default: @millrace/server millrace)
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { LocalRegistry } from '../test/dist/packages/LocalRegistry.js';
import { packPackages } from './packPackages.mjs';

const MEGABYTE = 1_000_000;
const names = process.argv.length > 2 ? process.argv.slice(2) : ['@millrace/server', 'millrace'];

const folder = await mkdtemp(join(tmpdir(), 'millrace-install-'));
const registry = new LocalRegistry('https://registry.npmjs.org/');
try {
  for (const tarball of await packPackages(join(folder, 'packed'))) await registry.add(tarball);
  const url = await registry.start();
  for (const name of names) console.log(JSON.stringify(await measure(name, url), null, 2));
} finally {
  registry.stop();
  await rm(folder, { recursive: true, force: true });
}

async function measure(name, url) {
  const place = join(folder, name.replace(/\W/g, '-'));
  const home = `${place}-home`;
  await mkdir(place);
  await mkdir(home);
  await writeFile(join(place, 'package.json'), '{ "private": true }');
  const startedMs = performance.now();
  const { stdout, stderr } = await promisify(execFile)(
    'npm',
    ['install', name, '--registry', url],
    {
      cwd: place,
      env: { PATH: process.env.PATH, HOME: home },
    },
  );
  const seconds = (performance.now() - startedMs) / 1000;
  const packages = await packagesIn(join(place, 'node_modules'));
  return {
    name,
    node: process.version,
    seconds: Number(seconds.toFixed(1)),
    packages: packages.length,
    // In blocks of the file system, as `du` counts.
    megabytes: Number((packages.reduce((sum, { bytes }) => sum + bytes, 0) / MEGABYTE).toFixed(1)),
    installScripts: packages.filter(({ hasScript }) => hasScript).map((each) => each.name),
    warnings: `${stdout}${stderr}`.split('\n').filter((line) => /warn/i.test(line)),
    largest: packages
      .sort((one, other) => other.bytes - one.bytes)
      .slice(0, 8)
      .map((each) => `${each.name} ${(each.bytes / MEGABYTE).toFixed(1)} MB`),
  };
}

/** Every installed package, nested ones too; `bytes` are those of its own files. */
async function packagesIn(modules) {
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
    ['preinstall', 'install', 'postinstall'].some((script) => scripts[script] !== undefined) ||
    gypfile === true;
  return [
    { name, hasScript, bytes: await bytesOf(path) },
    ...(await packagesIn(join(path, 'node_modules'))),
  ];
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
