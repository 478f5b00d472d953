import { lstatSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Of folders that only the server's own user may enter. */
const PRIVATE_MODE = 0o700;

/**
 * Creates a folder and its missing parents, closed to other users of the machine. A folder that exists stays as it is.
 * One level at a time: `mkdirSync(…, {recursive: true})` of Node 20 never returns below `/proc`, where a missing
 * parent can't be created and its own parent exists.
 * @throws Error in one line: what is in the way, or why the folder can't be created
 */
export function makePrivateDirectory(path: string): void {
  const missing: string[] = [];
  let folder = resolve(path);
  while (!exists(folder)) {
    missing.push(folder);
    folder = dirname(folder);
  }
  assertDirectory(folder);
  for (const each of missing.reverse()) make(each);
}

function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    // A file where a parent folder should be: found when the loop arrives at it.
    if (codeOf(error) === 'ENOTDIR') return false;
    throw error;
  }
}

function assertDirectory(path: string): void {
  const target = statSync(path, { throwIfNoEntry: false });
  if (target === undefined) {
    throw new Error(`"${path}" is a symbolic link to a folder that does not exist`);
  }
  if (!target.isDirectory()) throw new Error(`"${path}" is not a folder`);
}

function make(path: string): void {
  try {
    mkdirSync(path, { mode: PRIVATE_MODE });
  } catch (error) {
    // Another process was faster.
    if (codeOf(error) !== 'EEXIST') throw error;
    assertDirectory(path);
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
