import { readFileSync } from 'node:fs';

/**
 * The maximum number of open files, including sockets, of this process (`ulimit -n`).
 * @returns undefined if the system doesn't report one: not Linux, or unlimited
 */
export function readDescriptorLimit(path = '/proc/self/limits'): number | undefined {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync(path, 'utf8'))?.[1];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}
