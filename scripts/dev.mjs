// `pnpm dev`: rebuilds on every change and restarts the example server. Types are left to the editor and `pnpm build`.
import { spawn } from 'node:child_process';

const bundler = spawn(process.execPath, ['scripts/bundle.mjs', '--watch'], { stdio: 'inherit' });
const server = spawn(process.execPath, ['--watch', 'examples/server/start.mjs', ...process.argv.slice(2)], {
  stdio: 'inherit',
});
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    bundler.kill();
    server.kill();
  });
}
