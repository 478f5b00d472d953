import { setTimeout as sleep } from 'node:timers/promises';
import type { StorageEngine } from '@millrace/kernel';

const RETRY_MS = 500;
/** Within this time after it answers again, a storage has made the writes that it received before. */
const LATE_MS = 3_000;

/** Resolves when the storage makes no more writes that it received before. */
export async function storageSettled(engine: Pick<StorageEngine, 'ping'>, isStopped: () => boolean): Promise<void> {
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
