import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { coreErrors, isJsonObject } from '@millrace/kernel';
import type { CollectionContent } from '@millrace/storage-sqlite';

/** The format of a backup. A version refuses backups of later formats. */
export const BACKUP_FORMAT = 1;

export const MANIFEST_NAME = 'manifest.json';
/** The folder of the embedded memory store, in a data folder and in a backup. */
export const MEMORY_STORE_NAME = 'memory-store';

/** The files of a backup besides its manifest. */
export const BACKUP_FILE_NAME = /^(millrace\.db|memory-store\/[\w-]+\.log)$/;

/** A file of a backup. */
export interface BackupFile {
  /** Path in the backup, with `/`. */
  readonly name: string;
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** What a backup holds: its `manifest.json`, which is written last. */
export interface BackupManifest {
  readonly format: number;
  /** The version of Millrace that made it. */
  readonly version: string;
  /** The name of its folder, and of the backup in all actions. */
  readonly name: string;
  /** When it was begun, UTC milliseconds. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly note: string;
  /** Made by `backup.schedule` or `backup.continuous`: removed by `backup.keep`. */
  readonly isScheduled: boolean;
  /** The change log's epoch and last position at the moment of the copy. */
  readonly epoch: string;
  readonly seq: number;
  readonly internalIndex: string;
  /** Whether the keys of the embedded memory store are included. */
  readonly memoryStore: boolean;
  readonly collections: readonly CollectionContent[];
  readonly files: readonly BackupFile[];
}

/** @throws core.backup_refused if it is no manifest, or one of a later version */
export async function readManifest(folder: string): Promise<BackupManifest> {
  const file = join(folder, MANIFEST_NAME);
  const refuse = (reason: string, cause?: unknown) => coreErrors.backup_refused({ reason }, { cause });
  let manifest: unknown;
  try {
    manifest = JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    throw refuse(`"${folder}" is no backup: it has no readable ${MANIFEST_NAME}`, error);
  }
  if (!isJsonObject(manifest) || typeof manifest['format'] !== 'number')
    throw refuse(`"${file}" is not the manifest of a backup`);
  if (manifest['format'] > BACKUP_FORMAT) {
    const { format } = manifest;
    const version = manifest['version'] as BackupManifest['version'];
    throw refuse(
      `the backup has format ${format} and this version reads format ${BACKUP_FORMAT}: use version ${version} of Millrace or later`,
    );
  }
  return manifest as unknown as BackupManifest;
}
