// A separate Redis for a bench: append-only with its default sync each second, as durable as the embedded engine.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** @returns undefined where there is no redis-server */
export async function startRedis() {
  if (spawnSync('redis-server', ['--version']).status !== 0) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'millrace-bench-redis-'));
  const port = await freePort();
  const child = spawn('redis-server', [
    '--port',
    `${port}`,
    '--bind',
    '127.0.0.1',
    '--dir',
    folder,
    '--save',
    '',
    '--appendonly',
    'yes',
  ]);
  await new Promise((resolve, reject) => {
    child.once('exit', reject);
    child.stdout.on('data', (text) => {
      if (text.includes('Ready to accept connections')) resolve();
    });
  });
  return {
    url: `redis://127.0.0.1:${port}`,
    close: async () => {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill();
      await gone;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
