import { join } from 'node:path';
import { coreErrors, type CollectionName, type StorageEngine } from '@millrace/kernel';
import { readCopiedCollection } from '@millrace/storage-sqlite';
import type { BackupFolder } from './BackupFolder.js';
import { DATABASE_NAME } from './BackupManifest.js';

/**
 * Writes one collection of a backup into a new collection of a running server: sources and mapping, with new versions
 * and without metadata.
 * @returns the number of documents
 * @throws core.backup_not_found, core.backup_refused, and the error of a document that can't be written
 */
export async function restoreCollection(
  { folder, engine }: { readonly folder: BackupFolder; readonly engine: StorageEngine },
  { backup, from, to }: { readonly backup: string; readonly from: CollectionName; readonly to: CollectionName },
): Promise<number> {
  const { path } = await folder.find(backup);
  const copied = readCopiedCollection(join(path, DATABASE_NAME), from);
  const refuse = (reason: string) => coreErrors.backup_refused({ reason });
  if (copied === undefined) throw refuse(`the backup has no collection "${from.index}/${from.collection}"`);
  if (!(await engine.createCollection(to, copied.mapping)))
    throw refuse(`collection "${to.index}/${to.collection}" exists: choose another name`);
  let count = 0;
  for (const page of copied.pages()) {
    const operations = page.map(({ id, source }) => ({
      ...to,
      kind: 'put' as const,
      id,
      source,
      condition: 'absent' as const,
    }));
    for (const outcome of await engine.write(operations, false)) if (outcome.status === 'failed') throw outcome.error;
    count += page.length;
  }
  await engine.refresh(to.index);
  return count;
}
