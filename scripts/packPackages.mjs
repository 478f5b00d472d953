// Packs every package that is published, as `pnpm publish` would: `workspace:` and `catalog:` ranges are real ones then.
// usage: npm run pack    installs, builds, packs into the folder `packed`, and prints how a project installs the files
import { execFile } from 'node:child_process';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * @param {string} folder gets the tarballs; is made
 * @returns {Promise<string[]>} their paths
 */
export async function packPackages(folder) {
  await mkdir(folder, { recursive: true });
  const chosen = ['./packages/*', './plugins/*', '!./packages/wire-testing'];
  const filters = chosen.flatMap((glob) => ['--filter', glob]);
  const args = ['--yes', 'pnpm@10.34.9', '-r', ...filters, 'pack', '--pack-destination', folder];
  await promisify(execFile)('npx', args, { cwd: root, maxBuffer: 64 * 1024 * 1024 });
  const files = (await readdir(folder)).filter((file) => file.endsWith('.tgz')).sort();
  return files.map((file) => join(folder, file));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = join(root, 'packed');
  await rm(folder, { recursive: true, force: true });
  const { length } = await packPackages(folder);
  console.log(`
${length} packages are packed. In the folder of your project:

  npm install ${folder}/*.tgz

After that, "npm install millrace", as the guides say it, finds them there.
`);
}
