import { totalmem } from 'node:os';

/** The value of `memoryStore.maxMemory` for a quarter of the memory that this process may use. */
export const QUARTER_OF_MEMORY = -1;

/** What the system has, and what a control group leaves the process of it. */
export interface AvailableMemory {
  readonly totalBytes: number;
  /** 0 or undefined where there is no limit; far more than there is means none as well. */
  readonly constrainedBytes: number | undefined;
}

function availableMemory(): AvailableMemory {
  return { totalBytes: totalmem(), constrainedBytes: process.constrainedMemory() };
}

/** The bound in bytes; 0 for none. */
export function toMaxMemory(configured: number, memory = availableMemory()): number {
  if (configured !== QUARTER_OF_MEMORY) return configured;
  const { totalBytes, constrainedBytes = 0 } = memory;
  const bytes = constrainedBytes > 0 ? Math.min(totalBytes, constrainedBytes) : totalBytes;
  return Math.floor(bytes / 4);
}
