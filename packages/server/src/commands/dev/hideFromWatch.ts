import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Keeps `node --watch` from restarting this process because of files in a folder: it would do so before it is known whether
 * the new version works. A process reports to it each file that it imports.
 */
export function hideFromWatch(folder: string): void {
  const send = process.send?.bind(process) as ((...message: unknown[]) => boolean) | undefined;
  if (send === undefined) return;
  process.send = (...message: unknown[]) => isOf(folder, message[0]) || send(...message);
}

function isOf(folder: string, message: unknown): boolean {
  const { 'watch:import': imported, 'watch:require': required } = (message ?? {}) as Readonly<Record<string, unknown>>;
  const paths = imported ?? required;
  return Array.isArray(paths) && paths.length > 0 && paths.every((path) => isIn(folder, path));
}

/** Node.js 20 reports some modules without an address. */
function isIn(folder: string, file: unknown): boolean {
  if (typeof file !== 'string') return false;
  return (file.startsWith('file:') ? fileURLToPath(file) : file).startsWith(folder + sep);
}
