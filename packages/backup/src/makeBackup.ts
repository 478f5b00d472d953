import { createHash } from 'node:crypto';
import { open, rm, statfs, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { coreErrors, syncFolder } from '@millrace/kernel';
import { copyMemoryStore } from '@millrace/memory-store';
import { copyInThread, DATABASE_NAME } from '@millrace/storage-sqlite';
import { BackupFolder } from './BackupFolder.js';
import {
  BACKUP_FORMAT,
  MANIFEST_NAME,
  MEMORY_STORE_NAME,
  type BackupFile,
  type BackupManifest,
} from './BackupManifest.js';
import { missingData } from './missingData.js';
import { sourceBytes } from './sourceBytes.js';

/** So that the disk serves others between two syncs. */
const PAUSE_MS = 5;

/** What to back up. Can be posted to a thread. */
export interface BackupTask {
  readonly dataDir: string;
  /** The folder of backups. */
  readonly directory: string;
  readonly name: string;
  readonly startedAt: number;
  readonly note: string;
  readonly isScheduled: boolean;
  readonly internalIndex: string;
  /** Whether the memory store is the embedded one. */
  readonly memoryStore: boolean;
  /** Version of the server. */
  readonly version: string;
}

/** Free space that a backup needs, as a multiple of what it copies. */
const NEEDED_SPACE = 1.1;

const READ_BYTES = 262_144;

/**
 * Makes a backup of a data folder, whether or not a server runs on it. The digests take time of this thread.
 * @throws core.backup_refused, and errors of the file system; nothing is left then
 */
export async function makeBackup(task: BackupTask): Promise<BackupManifest> {
  const reason = missingData(task.dataDir);
  if (reason !== undefined) throw coreErrors.backup_refused({ reason });
  const folder = new BackupFolder(task.directory);
  const path = await folder.begin(task.name);
  try {
    await assertSpace(task);
    const target = join(path, DATABASE_NAME);
    const copying = copyInThread(join(task.dataDir, DATABASE_NAME), target);
    const database = await syncWhileWritten(target, copying);
    const names = [DATABASE_NAME];
    if (task.memoryStore) {
      const logs = await copyMemoryStore(task.dataDir, join(path, MEMORY_STORE_NAME));
      names.push(...logs.map((name) => `${MEMORY_STORE_NAME}/${name}`));
      await syncFolder(join(path, MEMORY_STORE_NAME));
    }
    const files: BackupFile[] = [];
    for (const name of names) files.push({ name, ...(await digest(join(path, name))) });
    const { name, version, startedAt, note, isScheduled, internalIndex, memoryStore } = task;
    const about = { format: BACKUP_FORMAT, version, name, startedAt };
    const more = { endedAt: Date.now(), note, isScheduled, internalIndex, memoryStore };
    const manifest: BackupManifest = { ...about, ...more, ...database, files };
    await writeSynced(join(path, MANIFEST_NAME), `${JSON.stringify(manifest, null, 2)}\n`);
    await syncFolder(path);
    await folder.complete(name);
    return manifest;
  } catch (error) {
    await rm(path, { recursive: true, force: true }).catch(() => undefined);
    throw error;
  }
}

/** The size and the SHA-256 of a file. */
export async function digest(path: string): Promise<Omit<BackupFile, 'name'>> {
  const hash = createHash('sha256');
  // One buffer: those of a stream add up to some 40 MiB before they are collected.
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  const file = await open(path, 'r');
  try {
    let bytes = 0;
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, READ_BYTES, null);
      if (bytesRead === 0) return { bytes, sha256: hash.digest('hex') };
      hash.update(buffer.subarray(0, bytesRead));
      bytes += bytesRead;
    }
  } finally {
    await file.close();
  }
}

async function assertSpace(task: BackupTask): Promise<void> {
  const { bavail, bsize } = await statfs(task.directory);
  const neededBytes = Math.ceil((await sourceBytes(task)) * NEEDED_SPACE);
  if (bavail * bsize >= neededBytes) return;
  const mib = (bytes: number) => `${Math.ceil(bytes / 1_048_576)} MiB`;
  const reason = `the disk of the backups has ${mib(bavail * bsize)} left and ${mib(neededBytes)} are needed`;
  throw coreErrors.backup_refused({ reason });
}

async function writeSynced(path: string, content: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * Syncs a file to the disk again and again while another thread writes it. SQLite syncs a copy once, when it is complete:
 * hundreds of megabytes, which all commits of the server have to wait for.
 * @param path need not exist yet
 * @param written resolves when the file is complete and synced
 * @returns what `written` resolves to; the file is closed then
 */
async function syncWhileWritten<T>(path: string, written: Promise<T>): Promise<T> {
  let isWritten = false;
  const end = () => (isWritten = true);
  written.then(end, end);
  let file: FileHandle | undefined;
  try {
    while (!isWritten) {
      await pause(PAUSE_MS);
      file ??= await open(path, 'r+').catch(() => undefined);
      // The writer's own sync reports a failure.
      await file?.datasync().catch(() => undefined);
    }
  } finally {
    await file?.close();
  }
  return written;
}
