import { setTimeout as sleep } from 'node:timers/promises';
import type { StorageEngine } from '@millrace/kernel';

const RETRY_MS = 500;
/** A storage that answers again makes within this time what it had received before. */
export const LATE_MS = 3_000;

/** Resolves when the storage has made, or will never make, what it received before. */
export async function storageSettled(
  engine: Pick<StorageEngine, 'ping'>,
  isStopped: () => boolean,
): Promise<void> {
  while (!isStopped()) {
    try {
      await engine.ping();
      break;
    } catch {
      await sleep(RETRY_MS, undefined, { ref: false });
    }
  }
  await sleep(LATE_MS, undefined, { ref: false });
}
