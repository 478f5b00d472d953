import type { Logger, MemoryStoreEngine } from '@millrace/kernel';
import type { MemoryStoreConfig } from '../config.js';
import { EmbeddedEngine } from './EmbeddedEngine.js';

/** What the embedded engine is made of. */
export interface EmbeddedEngineParts {
  /** Folder for everything the embedded engines keep; the memory store takes `memory-store/` in it. */
  readonly dataDir: string;
  readonly config: Pick<
    MemoryStoreConfig,
    'sync' | 'maxMemory' | 'evictionPolicy' | 'maxValueBytes'
  >;
  readonly logger: Logger;
}

/** Makes the embedded engine of the memory store; nothing is opened before its `start`. */
export function createEmbeddedEngine({
  dataDir,
  config,
  logger,
}: EmbeddedEngineParts): MemoryStoreEngine {
  const { sync, maxMemory, evictionPolicy, maxValueBytes } = config;
  return new EmbeddedEngine({ dataDir, sync, maxMemory, evictionPolicy, maxValueBytes, logger });
}
