import { readFileSync } from 'node:fs';

/**
 * How many files, sockets among them, this process may have open (`ulimit -n`).
 * @returns undefined where the system doesn't say: no Linux, or no limit
 */
export function readDescriptorLimit(path = '/proc/self/limits'): number | undefined {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync(path, 'utf8'))?.[1];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}
