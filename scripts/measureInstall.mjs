// Measures what `npm install <package>` puts into an empty folder: our packages from their tarballs, the rest from npm, with
// an empty cache and an empty home. Needs a build and the network.
// usage: node scripts/measureInstall.mjs [package]…      (default: @millrace/server millrace)
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { LocalRegistry } from '../test/dist/packages/LocalRegistry.js';
import { installedPackages } from './installedPackages.mjs';
import { packPackages } from './packPackages.mjs';

const MEGABYTE = 1_000_000;
const names = process.argv.length > 2 ? process.argv.slice(2) : ['@millrace/server', 'millrace'];

const folder = await mkdtemp(join(tmpdir(), 'millrace-install-'));
const upstream = (await promisify(execFile)('npm', ['config', 'get', 'registry'])).stdout.trim();
const registry = new LocalRegistry(`${upstream.replace(/\/$/, '')}/`);
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
  const { stdout, stderr } = await promisify(execFile)('npm', ['install', name, '--registry', url], {
    cwd: place,
    env: { PATH: process.env.PATH, HOME: home },
  });
  const seconds = (performance.now() - startedMs) / 1000;
  const packages = await installedPackages(join(place, 'node_modules'));
  return {
    name,
    node: process.version,
    seconds: Number(seconds.toFixed(1)),
    packages: packages.length,
    megabytes: Number((packages.reduce((sum, { bytes }) => sum + bytes, 0) / MEGABYTE).toFixed(1)),
    installScripts: packages.filter(({ hasScript }) => hasScript).map((each) => each.name),
    warnings: `${stdout}${stderr}`.split('\n').filter((line) => /warn/i.test(line)),
    largest: packages
      .sort((one, other) => other.bytes - one.bytes)
      .slice(0, 8)
      .map((each) => `${each.name} ${(each.bytes / MEGABYTE).toFixed(1)} MB`),
  };
}
