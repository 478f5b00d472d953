import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject, Plugin } from '@millrace/kernel';
import { Kernel, shippedPlugins } from '@millrace/server';

/** A server with every shipped plugin, on ports of its own. */
export async function openDescribedServer(further: readonly Plugin[] = []) {
  const dataDir = await mkdtemp(join(tmpdir(), 'millrace-description-'));
  const anyPort = { port: 0 };
  const kernel = new Kernel({
    config: {
      http: anyPort,
      websocket: anyPort,
      fallback: anyPort,
      mqtt: anyPort,
      server: { dataDir },
      log: { level: 'silent' },
    },
    plugins: [...shippedPlugins(), ...further],
  });
  const addresses = await kernel.start();
  const urlOf = (protocol: string) =>
    addresses.find((address) => address.protocol === protocol)?.url ?? '';
  return {
    kernel,
    urlOf,
    read: async (path: string) => (await (await fetch(urlOf('http') + path)).json()) as JsonObject,
    close: async () => {
      await kernel.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
