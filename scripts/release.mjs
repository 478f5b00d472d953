// Releases all public packages with the version that the changesets ask for. CONTRIBUTING.md says how.
// usage: node scripts/release.mjs             says what would be published
//        node scripts/release.mjs --dry-run   tries it as well: installs the packages, does the guides, starts the image
//        node scripts/release.mjs --publish   tries it, publishes to npm, and numbers this tree
// Everything but the last happens in a temporary folder. Needs `npm run bootstrap` and `npm run build`.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readChangesets } from './docs/changelog.mjs';
import { numberTree } from './release/numberTree.mjs';
import { stageRelease } from './release/stageRelease.mjs';
import { tryImage } from './release/tryImage.mjs';
import { tryPackages } from './release/tryPackages.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const [mode = '', ...others] = process.argv.slice(2);
if (!['', '--dry-run', '--publish'].includes(mode) || others.length > 0)
  throw new Error('usage: release.mjs [--dry-run | --publish]');
if (!existsSync(join(root, 'packages/server/dist/index.d.ts'))) throw new Error('run npm run build first');
if (readChangesets(root).length === 0) {
  console.log('There is nothing to release: .changeset has no change.');
  process.exit(mode === '--publish' ? 1 : 0);
}
if (mode === '--publish') checkTree();

const startedMs = performance.now();
const report = (step) => console.log(`${((performance.now() - startedMs) / 1000).toFixed(0).padStart(4)} s  ${step}`);
const folder = mkdtempSync(join(tmpdir(), 'millrace-release-'));
try {
  const release = await stageRelease(root, folder);
  report(
    `${release.tarballs.length} packages numbered ${release.from} → ${release.to} and packed, in a copy of the repository`,
  );
  if (mode !== '') {
    await tryPackages(release, join(folder, 'project'), report);
    report(await tryImage(release, join(folder, 'image')));
  }
  showPackages(release.tarballs);
  if (mode === '--publish') publish(release);
  else console.log('Nothing was published, and this tree is as it was. To publish: node scripts/release.mjs --publish');
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function showPackages(tarballs) {
  for (const tarball of tarballs) {
    console.log(
      `  ${basename(tarball).padEnd(48)} ${Math.ceil(statSync(tarball).size / 1000)
        .toString()
        .padStart(6)} kB`,
    );
  }
}

/** What is published has to be a commit, and npm proves its origin by the address of the repository. */
function checkTree() {
  const changed = execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' });
  if (changed !== '') throw new Error(`commit or remove first:\n${changed}`);
  const { repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  if (repository === undefined)
    throw new Error('package.json has no "repository": npm needs its address for the provenance');
}

/** Dependencies need not be there first: npm looks at them when the package is installed. */
function publish({ to, tarballs }) {
  for (const tarball of tarballs) {
    execFileSync('npm', ['publish', tarball], { cwd: root, stdio: 'inherit' });
    report(`published ${basename(tarball)}`);
  }
  numberTree(root);
  console.log(
    `Published ${to}. This tree has its number now: commit it, tag it v${to}, and move bench/baseline to the commit.`,
  );
}
