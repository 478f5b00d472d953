import type { Plugin } from '../plugins/Plugin.js';
import type { KernelCopy } from './KERNEL_COPY.js';

/** Under it a plugin carries the copy of this package that it was defined with. */
export const COPY_MARK = Symbol.for('millrace.kernelCopy');

/** The copy of this package that a plugin was defined with; undefined where it wasn't made by `definePlugin`. */
export function copyOf(plugin: Plugin): KernelCopy | undefined {
  return (plugin as { readonly [COPY_MARK]?: KernelCopy })[COPY_MARK];
}
