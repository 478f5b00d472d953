// Gives a tree the version that its changesets ask for: manifests, constants, the range `kernel` of plugins, CHANGELOG.md. Not by
// `changeset version`: our plugins have the kernel as a peer, and a peer that leaves its range is a major change to it, 1.0.0.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { changelog, readChangesets } from '../docs/changelog.mjs';

const SOURCES = ['packages', 'plugins', 'examples', 'docs', 'test'];
const SKIPPED = new Set(['node_modules', 'prebuilds', 'decisions', 'data']);

/**
 * @param {string} root of the repository or of a copy, with a changeset at least
 * @returns {{ from: string, to: string }} the versions
 */
export function numberTree(root) {
  const changes = readChangesets(root);
  const from = versionOf(root);
  const to = nextVersion(from, new Set(changes.map(({ rank }) => rank)));
  const file = join(root, 'CHANGELOG.md');
  const day = new Date().toISOString().slice(0, 10);
  writeFileSync(file, changelog(root, readFileSync(file, 'utf8'), `${to} (${day})`));
  for (const { path } of changes) rmSync(path);
  for (const path of SOURCES.flatMap((folder) => filesIn(join(root, folder)))) renumber(path, from, to);
  return { from, to };
}

/** All public packages have one version. */
function versionOf(root) {
  return JSON.parse(readFileSync(join(root, 'packages/server/package.json'), 'utf8')).version;
}

/** Before 1.0.0 a minor version may break something. */
function nextVersion(from, ranks) {
  const [major, minor, patch] = from.split('.').map(Number);
  if (ranks.has('major') && major > 0) return `${major + 1}.0.0`;
  return ranks.has('major') || ranks.has('minor') ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`;
}

/** A range such as `^0.1.0` doesn't contain 0.2.0: a plugin that keeps it would be refused. */
function renumber(path, from, to) {
  const text = readFileSync(path, 'utf8');
  const old = from.replaceAll('.', '\\.');
  const changed = path.endsWith('package.json')
    ? text.replace(`"version": "${from}"`, `"version": "${to}"`)
    : text
        .replace(new RegExp(`(VERSION = (['"]))${old}\\2`), `$1${to}$2`)
        .replaceAll(`kernel: '^${from}'`, `kernel: '^${to}'`)
        .replace(new RegExp(`("@millrace/[\\w-]+": "\\^)${old}"`, 'g'), `$1${to}"`);
  if (changed !== text) writeFileSync(path, changed);
}

/** Of what is built, the declarations: a bundle is made again, which takes seconds. */
function filesIn(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : filesIn(path);
    const wanted = path.includes('/dist/') ? /\.d\.ts$/ : /\.(?:ts|tsx|js|mjs|md)$|^package\.json$/;
    return entry.isFile() && wanted.test(entry.name) ? [path] : [];
  });
}
