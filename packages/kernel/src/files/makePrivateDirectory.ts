import { lstatSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Mode of folders that only the user running Millrace may enter. */
const PRIVATE_MODE = 0o700;

/**
 * Creates a folder and its missing parents, without access for other users of the machine. An existing folder stays
 * unchanged. Creates one level at a time: `mkdirSync(…, {recursive: true})` of Node 20 never returns below `/proc`,
 * where a missing parent can't be created and its own parent exists.
 * @throws Error with a one-line message: the obstacle, or why the folder can't be created
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
    // A file in place of a parent folder: reported when the loop reaches it.
    if (codeOf(error) === 'ENOTDIR') return false;
    throw error;
  }
}

function assertDirectory(path: string): void {
  const target = statSync(path, { throwIfNoEntry: false });
  if (target === undefined) {
    throw new Error(`"${path}" is a symbolic link to a folder that does not exist`);
  }
  if (!target.isDirectory()) throw new Error(`EEXIST: "${path}" is not a folder`);
}

function make(path: string): void {
  try {
    mkdirSync(path, { mode: PRIVATE_MODE });
  } catch (error) {
    // Another process created it first.
    if (codeOf(error) !== 'EEXIST') throw error;
    assertDirectory(path);
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
