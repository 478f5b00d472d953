import { copyFile, mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { cutFile } from './CommandLog.js';
import { LogFolder } from './LogFolder.js';
import { readLogFile } from './readLogFile.js';

/** The folder of the log in the data folder. */
export const MEMORY_STORE_FOLDER = 'memory-store';

/** Each attempt fails only if a rewrite of the log ends while its files are copied. */
const ATTEMPTS = 10;

/**
 * Copies the log of an embedded engine, running or stopped, and reads the copy back. Its files only grow, so a copy in
 * their order is the log as it was at one moment; a last record that was being written is cut off.
 * @param dataDir the data folder; one without a memory store has no files
 * @param target a folder that doesn't exist
 * @returns the names of the copied files
 * @throws memory.unavailable if the copy is damaged
 */
export async function copyMemoryStore(dataDir: string, target: string): Promise<readonly string[]> {
  await mkdir(target, { mode: 0o700 });
  const source = new LogFolder(join(dataDir, MEMORY_STORE_FOLDER));
  for (let attempt = 1; ; attempt++) {
    try {
      return await copyOnce(source, target);
    } catch (error) {
      // The file was replaced by a rewritten one.
      if (!isAbsence(error) || attempt === ATTEMPTS) throw error;
    }
  }
}

async function copyOnce(source: LogFolder, target: string): Promise<readonly string[]> {
  const paths = pathsOf(source);
  const copies = paths.map((path) => join(target, basename(path)));
  for (const [at, path] of paths.entries()) await copyFile(path, copies[at] ?? target);
  for (const copy of copies) {
    const reading = await readLogFile(copy, copy === copies.at(-1), () => undefined);
    if (reading.tornBytes > 0) await cutFile(copy, reading);
  }
  return copies.map((path) => basename(path));
}

function pathsOf(source: LogFolder): readonly string[] {
  try {
    const { base, changes } = source.list();
    return [
      ...(base === undefined ? [] : [source.basePath(base)]),
      ...changes.map((generation) => source.changesPath(generation)),
    ];
  } catch (error) {
    if (isAbsence(error)) return [];
    throw error;
  }
}

function isAbsence(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
