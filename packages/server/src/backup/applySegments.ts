import { coreErrors } from '@millrace/kernel';
import { applyChanges, type Moment } from '@millrace/storage-sqlite';
import { BackupFolder } from './BackupFolder.js';
import type { BackupManifest } from './BackupManifest.js';
import { SegmentFolder } from './SegmentFolder.js';

/** What to apply to a restored database. */
interface Changes {
  readonly file: string;
  readonly manifest: BackupManifest;
  /** The folder of backups. */
  readonly directory: string;
  readonly until: Moment;
}

/**
 * Applies the changes since a backup, up to a moment or to the last one that was exported.
 * @returns the position of the database
 * @throws core.backup_refused if changes before the moment are missing
 */
export async function applySegments({ file, manifest, directory, until }: Changes): Promise<number> {
  const { name, epoch } = manifest;
  let from = manifest.seq;
  const assertNoGap = (next: number) => {
    if (next <= from) return;
    const reason = `the changes between positions ${from} and ${next} of log ${epoch} are missing: restore from a backup later than "${name}", or to an earlier moment`;
    throw coreErrors.backup_refused({ reason });
  };
  for (const segment of await new SegmentFolder(directory).list()) {
    const { path, after, to } = segment;
    if (segment.epoch !== epoch || to <= from) continue;
    assertNoGap(after);
    from = applyChanges({ file, segment: path, from, to, until });
    if (from < to) return from;
  }
  // A later backup has changes that were not exported.
  const later = (await new BackupFolder(directory).list()).filter((each) => each.epoch === epoch);
  assertNoGap(later[0]?.seq ?? 0);
  return from;
}
