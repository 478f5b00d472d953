import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { VERSION } from './VERSION.js';

/** One installed copy of this package; a linked plugin has a separate one. */
export interface KernelCopy {
  readonly version: string;
  /** The folder of its code. */
  readonly path: string;
}

/** This copy. */
export const KERNEL_COPY: KernelCopy = Object.freeze({
  version: VERSION,
  path: dirname(fileURLToPath(import.meta.url)),
});
