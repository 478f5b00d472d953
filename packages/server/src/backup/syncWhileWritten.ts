import { open, type FileHandle } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

/** So that the disk serves others between two syncs. */
const PAUSE_MS = 5;

/**
 * Syncs a file to the disk again and again while another thread writes it. SQLite syncs a copy once, when it is complete:
 * hundreds of megabytes, which all commits of the server have to wait for.
 * @param path need not exist yet
 * @param written resolves when the file is complete and synced
 * @returns what `written` resolves to; the file is closed then
 */
export async function syncWhileWritten<T>(path: string, written: Promise<T>): Promise<T> {
  let isWritten = false;
  const end = () => (isWritten = true);
  written.then(end, end);
  let file: FileHandle | undefined;
  try {
    while (!isWritten) {
      await pause(PAUSE_MS);
      file ??= await open(path, 'r+').catch(() => undefined);
      // The writer's own sync reports a failure.
      await file?.datasync().catch(() => undefined);
    }
  } finally {
    await file?.close();
  }
  return written;
}
