// `npm start`: the example server, from sources that may have changed. Installs what it needs, unless node_modules is newer
// than the lock file, and bundles, unless every bundle is newer than its sources. Types are not checked.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const INSTALLED = 'node_modules/.modules.yaml';
const LOCK = 'pnpm-lock.yaml';

if (modifiedMs(INSTALLED) < modifiedMs(LOCK)) install();
const packages = ['packages', 'plugins']
  .flatMap((parent) => readdirSync(join(root, parent)).map((name) => `${parent}/${name}`))
  .filter((folder) => existsSync(join(root, folder, 'src/index.ts')));
if (!packages.every(isBundled)) run(process.execPath, 'scripts/bundle.mjs');
await import('../examples/server/start.mjs');

/** Without tools for development, which are four of five packages, unless those are installed already. */
function install() {
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const hasTools =
    existsSync(join(root, INSTALLED)) &&
    JSON.parse(readFileSync(join(root, INSTALLED), 'utf8')).included.devDependencies;
  const some = ['--prod', '--filter', '@millrace/example-server...', '--filter', 'millrace...'];
  const flags = ['--frozen-lockfile', '--ignore-scripts', ...(hasTools ? [] : some)];
  run('npx', '--yes', packageManager, 'install', ...flags);
}

function isBundled(folder) {
  const bundledMs = modifiedMs(`${folder}/dist/index.js`);
  return [LOCK, 'scripts/bundle.mjs', `${folder}/package.json`]
    .concat(allBelow(`${folder}/src`), allBelow(`${folder}/page`))
    .every((file) => modifiedMs(file) <= bundledMs);
}

/** Files and folders: folders change when a file is removed. */
function allBelow(folder) {
  if (!existsSync(join(root, folder))) return [];
  return [folder, ...readdirSync(join(root, folder), { recursive: true }).map((file) => `${folder}/${file}`)];
}

/** 0: there is no such file. */
function modifiedMs(file) {
  return statSync(join(root, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function run(command, ...args) {
  execFileSync(command, args, { cwd: root, stdio: 'inherit' });
}
