// Runs quick tests on Node 24, which comes from npm: those of the packages, and those across them where Node itself does the
// work (sockets, TLS, files, worker threads).
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const TESTED = ['packages/', 'test/wire/', 'test/tls/', 'test/backup/', 'test/commandLine/'];

const folder = mkdtempSync(join(tmpdir(), 'node24-'));
// Some tests run the server as another user.
chmodSync(folder, 0o755);
try {
  const packageName = `node-${process.platform}-${process.arch}`;
  execFileSync(
    'npm',
    ['install', '--silent', '--no-save', '--ignore-scripts', '--prefix', folder, `${packageName}@24`],
    { stdio: 'inherit' },
  );
  const node = join(folder, 'node_modules', packageName, 'bin', 'node');
  console.log(`Node ${execFileSync(node, ['--version']).toString().trim()}`);
  execFileSync(node, ['node_modules/vitest/vitest.mjs', 'run', '--project', 'quick', ...TESTED], {
    stdio: 'inherit',
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
