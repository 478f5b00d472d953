import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DATABASE_NAME } from '@millrace/storage-sqlite';
import { MEMORY_STORE_NAME } from './BackupManifest.js';
import type { BackupTask } from './makeBackup.js';

/** Bytes that a backup copies: the database with its log, and the files of the memory store. */
export async function sourceBytes({
  dataDir,
  memoryStore,
}: Pick<BackupTask, 'dataDir' | 'memoryStore'>): Promise<number> {
  const database = join(dataDir, DATABASE_NAME);
  const sizes = [
    fileBytes(database),
    fileBytes(`${database}-wal`),
    ...(memoryStore ? [bytesIn(join(dataDir, MEMORY_STORE_NAME))] : []),
  ];
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** Bytes of all files in a folder; 0 if it is absent. */
export async function bytesIn(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const sizes = await Promise.all(names.map((name) => fileBytes(join(folder, name))));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function fileBytes(path: string): Promise<number> {
  const entry = await stat(path).catch(() => undefined);
  return entry?.isFile() === true ? entry.size : 0;
}
