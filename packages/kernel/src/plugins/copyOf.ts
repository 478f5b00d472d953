import type { Plugin } from './Plugin.js';
import type { KernelCopy } from '../copies/KERNEL_COPY.js';

/** The property of a plugin that holds the copy of this package that defined it. */
export const COPY_MARK = Symbol.for('millrace.kernelCopy');

/** The copy of this package that defined a plugin; undefined if it wasn't made by `definePlugin`. */
export function copyOf(plugin: Plugin): KernelCopy | undefined {
  return (plugin as { readonly [COPY_MARK]?: KernelCopy })[COPY_MARK];
}
