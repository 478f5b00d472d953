import { totalmem } from 'node:os';

/** The value of `memoryStore.maxMemory` for a quarter of the memory available to this process. */
export const QUARTER_OF_MEMORY = -1;

/** The memory of the system, and the limit of the process's control group. */
export interface AvailableMemory {
  readonly totalBytes: number;
  /** 0 or undefined if there is no limit; a value far above the total also means none. */
  readonly constrainedBytes: number | undefined;
}

function availableMemory(): AvailableMemory {
  return { totalBytes: totalmem(), constrainedBytes: process.constrainedMemory() };
}

/** The limit in bytes; 0 for none. */
export function toMaxMemory(configured: number, memory = availableMemory()): number {
  if (configured !== QUARTER_OF_MEMORY) return configured;
  const { totalBytes, constrainedBytes = 0 } = memory;
  const bytes = constrainedBytes > 0 ? Math.min(totalBytes, constrainedBytes) : totalBytes;
  return Math.floor(bytes / 4);
}
