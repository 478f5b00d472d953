import type { Logger, MemoryStoreEngine } from '@millrace/kernel';
import type { MemoryStoreConfig } from '../config.js';
import { EmbeddedEngine } from './EmbeddedEngine.js';

/** The dependencies of the embedded engine. */
export interface EmbeddedEngineParts {
  /** Data folder of the embedded engines; the memory store uses `memory-store/` in it. */
  readonly dataDir: string;
  readonly config: Pick<MemoryStoreConfig, 'sync' | 'maxMemory' | 'evictionPolicy' | 'maxValueBytes'>;
  readonly logger: Logger;
}

/** Creates the embedded engine of the memory store; it opens nothing before its `start`. */
export function createEmbeddedEngine({ dataDir, config, logger }: EmbeddedEngineParts): MemoryStoreEngine {
  const { sync, maxMemory, evictionPolicy, maxValueBytes } = config;
  return new EmbeddedEngine({ dataDir, sync, maxMemory, evictionPolicy, maxValueBytes, logger });
}
