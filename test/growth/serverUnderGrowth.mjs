/*
 * A server process whose memory can be measured: a kernel with all shipped protocols, on free ports and a temporary
 * folder. Its parent sends `measure`, and receives the bytes after a forced collection.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { definePlugin } from '@millrace/kernel';
import { Kernel, shippedPlugins } from '@millrace/server';

/** Logs in whoever the caller names, unless the password is wrong: hashes would take most of the time of a test. */
const namedAuth = definePlugin({
  name: 'auth-named',
  kernel: '^0.1.0',
  setup(host) {
    host.strategy({
      name: 'named',
      verify: async ({ username = '', password }) => (password === 'wrong' ? null : { userId: username }),
    });
  },
});

const dataDir = mkdtempSync(join(tmpdir(), 'millrace-growth-'));
process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }));

const config = JSON.parse(process.argv[2]);
const port = { port: 0 };
const kernel = new Kernel({
  config: {
    ...config,
    server: { dataDir, ...config.server },
    http: { ...port, trustedProxies: '127.0.0.0/8', ...config.http },
    websocket: { ...port, ...config.websocket },
    fallback: { ...port, ...config.fallback },
    mqtt: { ...port, ...config.mqtt },
    log: { level: 'error' },
  },
  plugins: [...shippedPlugins(), namedAuth],
});
const addresses = await kernel.start();
process.send(Object.fromEntries(addresses.map(({ protocol, url }) => [protocol, url])));

process.on('message', async () => {
  // Some objects are free only after finalizers and callbacks of the event loop have run.
  for (let times = 0; times < 4; times++) {
    globalThis.gc();
    await sleep(50);
  }
  const { heapUsed, external } = process.memoryUsage();
  process.send(heapUsed + external);
});
process.once('disconnect', () => process.exit());
