// A copy of the repository with the version of the next release, built and packed. The tree itself stays as it is.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { numberTree } from './numberTree.mjs';

/**
 * @param {string} root of the repository, installed and built
 * @param {string} folder gets the copy, in `tree`, and the tarballs, in `packed`
 * @returns {Promise<{ tree: string, from: string, to: string, tarballs: string[] }>}
 */
export async function stageRelease(root, folder) {
  const tree = join(folder, 'tree');
  copyTree(root, tree);
  const versions = numberTree(tree);
  addRepository(tree);
  execFileSync(process.execPath, ['scripts/bundle.mjs'], { cwd: tree, stdio: ['ignore', 'ignore', 'inherit'] });
  const { packPackages } = await import(pathToFileURL(join(tree, 'scripts/packPackages.mjs')).href);
  return { tree, ...versions, tarballs: await packPackages(join(folder, 'packed')) };
}

/** What git has, and what is installed and built in the packages; the packages of others are shared. */
function copyTree(root, tree) {
  const listed = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0');
  for (const file of listed.filter((each) => each !== '' && existsSync(join(root, each)))) {
    mkdirSync(dirname(join(tree, file)), { recursive: true });
    cpSync(join(root, file), join(tree, file));
  }
  for (const folder of ['packages', 'plugins'])
    cpSync(join(root, folder), join(tree, folder), {
      recursive: true,
      verbatimSymlinks: true,
      preserveTimestamps: true,
    });
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));
}

/** npm compares it with the address of the workflow that publishes: without it there is no provenance. */
function addRepository(tree) {
  const { repository } = JSON.parse(readFileSync(join(tree, 'package.json'), 'utf8'));
  if (repository === undefined) return;
  for (const place of ['packages', 'plugins']) {
    for (const name of readdirSync(join(tree, place))) {
      const file = join(tree, place, name, 'package.json');
      const manifest = JSON.parse(readFileSync(file, 'utf8'));
      const own = { ...manifest, repository: { ...repository, directory: `${place}/${name}` } };
      writeFileSync(file, `${JSON.stringify(own, null, 2)}\n`);
    }
  }
}
