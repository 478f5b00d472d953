// Runs the tests of the core (`npm test` without plugins and examples) on Node 24, which comes from npm.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'node24-'));
// Some tests run the server as another user.
chmodSync(folder, 0o755);
try {
  const packageName = `node-${process.platform}-${process.arch}`;
  execFileSync(
    'npm',
    [
      'install',
      '--silent',
      '--no-save',
      '--ignore-scripts',
      '--prefix',
      folder,
      `${packageName}@24`,
    ],
    { stdio: 'inherit' },
  );
  const node = join(folder, 'node_modules', packageName, 'bin', 'node');
  console.log(`Node ${execFileSync(node, ['--version']).toString().trim()}`);
  execFileSync(
    node,
    ['node_modules/vitest/vitest.mjs', 'run', '--project', 'quick', 'packages/', 'test/'],
    {
      stdio: 'inherit',
    },
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
