import { access, constants, readlink, stat, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { inspectDataDirectory } from '@millrace/storage-sqlite';
import type { ServerConfig } from '../config.js';
import { fault, ok, warning, type DoctorContext, type Finding } from './Finding.js';

const LOW_BYTES = 2 ** 30;
const EMPTY_BYTES = 64 * 2 ** 20;
const OF_OTHERS = 0o077;
const MIB = 2 ** 20;

/** Rights, state and format of the data directory, and room on its disk. */
export async function checkDataDirectory({
  config,
  folder,
}: DoctorContext): Promise<{ readonly findings: readonly Finding[]; readonly isInUse: boolean }> {
  const path = resolve(folder, config.section<ServerConfig>('server').dataDir);
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) {
    const link = await readlink(path).catch(() => undefined);
    if (link !== undefined) {
      const saw = `${path} is a symbolic link to ${link}, which does not exist`;
      return {
        findings: [fault('data-directory', saw, 'Create its target, or set server.dataDir')],
        isInUse: false,
      };
    }
    const parent = await firstExisting(path);
    return {
      findings: [await checkFolder('data-directory', path), await checkSpace(parent)],
      isInUse: false,
    };
  }
  if (!found.isDirectory()) {
    const finding = fault('data-directory', `${path} is no folder`, 'Set server.dataDir to a folder');
    return { findings: [finding], isInUse: false };
  }
  const writable = await checkFolder('data-directory', path);
  const findings = [writable, checkMode(path, found.mode), await checkSpace(path)];
  if (writable.level === 'error') return { findings, isInUse: false };
  const state = checkState(path);
  return { findings: [...findings, state.finding], isInUse: state.isInUse };
}

async function firstExisting(path: string): Promise<string> {
  const parent = dirname(path);
  const isThere = await stat(parent).catch(() => undefined);
  return isThere === undefined && parent !== path ? firstExisting(parent) : parent;
}

/** Whether this user can write a folder, or create it. */
export async function checkFolder(id: string, path: string): Promise<Finding> {
  const isThere = await stat(path).catch(() => undefined);
  const folder = isThere === undefined ? await firstExisting(path) : path;
  if (!(await stat(folder)).isDirectory())
    return fault(id, `${folder} is no folder`, 'Set another path, or move the file');
  try {
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return ok(id, `${path} can be written`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EROFS')
      return fault(id, `${folder} is on a read-only file system`, 'Mount a writable volume there');
    const mend = `Give the server's user the folder: chown -R USER ${folder}`;
    return fault(id, `${folder} can't be read and written by this user`, mend);
  }
}

function checkMode(path: string, mode: number): Finding {
  const id = 'data-directory-mode';
  const octal = (mode & 0o777).toString(8);
  if ((mode & OF_OTHERS) === 0) return ok(id, `${path} is private (mode ${octal})`);
  const mend = `chmod -R go= ${path} (the server does it at its start, if the folder is its own)`;
  return warning(id, `Other users of the machine can read ${path} (mode ${octal})`, mend);
}

async function checkSpace(folder: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(folder);
  return assessSpace(folder, bavail * bsize);
}

/** @param bytes free on the disk of the folder */
export function assessSpace(folder: string, bytes: number): Finding {
  const id = 'disk-space';
  const saw = `${Math.floor(bytes / MIB)} MiB free on the disk of ${folder}`;
  const mend = 'Make room, or move server.dataDir to a larger disk';
  if (bytes < EMPTY_BYTES) return fault(id, saw, mend);
  return bytes < LOW_BYTES ? warning(id, saw, mend) : ok(id, saw);
}

function checkState(path: string): { readonly finding: Finding; readonly isInUse: boolean } {
  const id = 'data-format';
  try {
    const state = inspectDataDirectory(path);
    const saw = { 'in use': 'a server uses it', new: 'it is new', ready: 'its format is known' };
    return { finding: ok(id, `${path}: ${saw[state]}`), isInUse: state === 'in use' };
  } catch (error) {
    const saw = `${path}: ${(error as Error).message}`;
    const mend = 'Start the version that wrote it, or restore a backup into another folder';
    return { finding: fault(id, saw, mend), isInUse: false };
  }
}
