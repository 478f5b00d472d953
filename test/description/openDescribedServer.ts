import type { JsonObject, Plugin } from '@millrace/kernel';
import { installedPlugins } from '@millrace/server';
import { startTestKernel } from '@millrace/testing';

/** A server with every shipped plugin, on separate ports. */
export async function openDescribedServer(further: readonly Plugin[] = []) {
  const server = await startTestKernel({ plugins: [...(await installedPlugins()), ...further] });
  return {
    ...server,
    read: async (path: string) => (await server.ask('GET', path)).body as JsonObject,
  };
}
