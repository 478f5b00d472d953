import { open } from 'node:fs/promises';

/** Makes new and renamed files of a folder outlast a power failure, on systems that can sync a folder. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined);
  await folder?.sync().catch(() => undefined);
  await folder?.close();
}
