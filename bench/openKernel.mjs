import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kernel } from '@millrace/server';

/** A started kernel on an empty data folder; `request` throws on failures and gives the result. */
export function openKernel(config = {}, plugins = []) {
  return openKernelOn(mkdtempSync(join(tmpdir(), 'millrace-bench-')), config, plugins);
}

async function openKernelOn(dataDir, config, plugins) {
  const kernel = new Kernel({
    config: { http: { port: 0 }, server: { dataDir }, log: { level: 'error' }, ...config },
    plugins,
  });
  await kernel.start();
  return {
    kernel,
    request: async (fields) => {
      const { status, error, result } = await kernel.execute(fields);
      if (status >= 300) throw new Error(`${fields.controller}.${fields.action}: ${status} ${error?.message}`);
      return result;
    },
    /** Stops it and starts another one on the same data. */
    restart: async () => {
      await kernel.stop();
      return openKernelOn(dataDir, config, plugins);
    },
    close: async () => {
      await kernel.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
