import type { Module } from '@millrace/kernel';

/** The user of the server adds a plugin, and it names the kernels that it works with. */
export function isPlugin(module: Module): boolean {
  return 'kernel' in module;
}
