// `pnpm dev`: rebuilds on every change and restarts the example server.
import { spawn } from 'node:child_process';

const types = spawn('npx', ['tsc', '-b', '-w', '--preserveWatchOutput'], { stdio: 'inherit' });
const bundler = spawn(process.execPath, ['scripts/bundle.mjs', '--watch'], { stdio: 'inherit' });
const server = spawn(
  process.execPath,
  ['--watch', 'examples/server/start.mjs', ...process.argv.slice(2)],
  { stdio: 'inherit' },
);
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    types.kill();
    bundler.kill();
    server.kill();
  });
}
