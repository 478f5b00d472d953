import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { VERSION } from './VERSION.js';

/** One installed copy of this package: a linked plugin brings its own. */
export interface KernelCopy {
  readonly version: string;
  /** Its folder of code. */
  readonly path: string;
}

/** This copy. */
export const KERNEL_COPY: KernelCopy = Object.freeze({
  version: VERSION,
  path: dirname(fileURLToPath(import.meta.url)),
});
