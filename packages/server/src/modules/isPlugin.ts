import type { Module } from '@millrace/kernel';

/** Plugins are added by the server's user and declare the kernel versions they support. */
export function isPlugin(module: Module): boolean {
  return 'kernel' in module;
}
