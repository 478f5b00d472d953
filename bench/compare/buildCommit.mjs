import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Builds a commit without its declarations, once: it stays in the temporary folder (below node_modules esbuild reads no
 * tsconfig.json).
 * @returns its folder, and its full name
 */
export function buildCommit(name) {
  const commit = commitOf(name);
  const folder = join(tmpdir(), 'millrace-bench', commit);
  if (existsSync(folder)) return { folder, commit };
  console.log(`Building ${commit} in ${folder}`);
  const unfinished = `${folder}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  const archive = execFileSync('git', ['archive', commit], { cwd: ROOT, maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-x', '-C', unfinished], { input: archive });
  const { packageManager } = JSON.parse(readFileSync(join(unfinished, 'package.json'), 'utf8'));
  const flags = ['--frozen-lockfile', '--ignore-scripts', '--prefer-offline', '--silent'];
  const inside = { cwd: unfinished, stdio: 'inherit' };
  execFileSync('npx', ['--yes', packageManager, 'install', ...flags], inside);
  execFileSync(process.execPath, ['scripts/bundle.mjs'], inside);
  renameSync(unfinished, folder);
  return { folder, commit };
}

function commitOf(name) {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`];
  try {
    return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
  } catch {
    throw new Error(`The commit ${name} is not in this clone: compare needs the history (git fetch --unshallow)`);
  }
}
