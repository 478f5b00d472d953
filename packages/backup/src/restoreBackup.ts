import { existsSync } from 'node:fs';
import { copyFile, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { coreErrors, makePrivateDirectory, silentLogger, syncFolder } from '@millrace/kernel';
import { endAllSessions } from '@millrace/security';
import { applyChanges, beginNewLog, createSqliteEngine, DATABASE_NAME, type Moment } from '@millrace/storage-sqlite';
import { BackupFolder } from './BackupFolder.js';
import {
  BACKUP_FILE_NAME,
  MANIFEST_NAME,
  MEMORY_STORE_NAME,
  readManifest,
  type BackupManifest,
} from './BackupManifest.js';
import { digest } from './makeBackup.js';
import { SegmentFolder } from './SegmentFolder.js';

/** What to apply to a restored database. */
interface Changes {
  readonly file: string;
  readonly manifest: BackupManifest;
  /** The folder of backups. */
  readonly directory: string;
  readonly until: Moment;
}

/** A restored folder before it is complete. */
const STAGE_NAME = '.restoring';

/** What an interrupted restore leaves at most. The stage is removed last, so that a later restore recognises it. */
const UNFINISHED: readonly string[] = [MEMORY_STORE_NAME, STAGE_NAME];

/** What to restore, and where to. */
export interface RestoreOptions {
  /** The folder of one backup, or a folder of backups: the newest one, before `until`. */
  readonly source: string;
  /** Absent or empty. */
  readonly dataDir: string;
  /** Applies the changes since the backup up to this moment (`backup.continuous`). Absent: none. */
  readonly until?: Moment;
  /** Checks everything and writes nothing. */
  readonly isDryRun?: boolean;
}

/** A restored backup. */
export interface RestoredBackup {
  readonly manifest: BackupManifest;
  /** The position in the change log that was restored. */
  readonly seq: number;
}

/**
 * Restores a backup into an empty folder. The change log gets a new epoch, so that cursors of clients don't match, and
 * all sessions end. The database appears in the folder last: an interrupted restore leaves no data folder.
 * @throws core.backup_refused
 */
export async function restoreBackup(options: RestoreOptions): Promise<RestoredBackup> {
  const { dataDir, until } = options;
  const source = await chooseBackup(options.source, until);
  const manifest = await readManifest(source);
  await assertEmpty(dataDir);
  await assertUnchanged(source, manifest);
  if (options.isDryRun === true) return { manifest, seq: manifest.seq };
  makePrivateDirectory(dataDir);
  await removeUnfinished(dataDir);
  let seq: number;
  try {
    seq = await restoreInto(dataDir, { source, manifest, until });
  } catch (error) {
    await removeUnfinished(dataDir).catch(() => undefined);
    throw error;
  }
  await rm(join(dataDir, STAGE_NAME), { recursive: true });
  await syncFolder(dataDir);
  return { manifest, seq };
}

interface Restore {
  readonly source: string;
  readonly manifest: BackupManifest;
  readonly until: Moment | undefined;
}

/** @returns the restored position */
async function restoreInto(dataDir: string, { source, manifest, until }: Restore): Promise<number> {
  const stage = join(dataDir, STAGE_NAME);
  for (const { name } of manifest.files) {
    const target = join(stage, name);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await copyFile(join(source, name), target);
    await syncFile(target);
  }
  const file = join(stage, DATABASE_NAME);
  const seq =
    until === undefined ? manifest.seq : await applySegments({ file, manifest, directory: dirname(source), until });
  await finish(stage, manifest.internalIndex, seq);
  // The database is the last one: with it the folder is a data folder.
  const names = (await readdir(stage)).filter((name) => name === MEMORY_STORE_NAME);
  for (const name of [...names, DATABASE_NAME]) await rename(join(stage, name), join(dataDir, name));
  return seq;
}

/** Removes what an interrupted restore has left. */
async function removeUnfinished(dataDir: string): Promise<void> {
  for (const name of UNFINISHED) await rm(join(dataDir, name), { recursive: true, force: true });
}

/** @throws core.backup_refused if a restore into this data folder was interrupted: its data would be missing */
export function assertRestored(dataDir: string): void {
  const isUnfinished = existsSync(join(dataDir, STAGE_NAME));
  if (!isUnfinished || existsSync(join(dataDir, DATABASE_NAME))) return;
  const reason = `the restore into "${dataDir}" was interrupted: run it again, or remove the folder`;
  throw coreErrors.backup_refused({ reason });
}

/** Gives the change log a new epoch, and ends all sessions. */
async function finish(stage: string, internalIndex: string, seq: number): Promise<void> {
  beginNewLog(join(stage, DATABASE_NAME), seq);
  const engine = createSqliteEngine({ dataDir: stage, logger: silentLogger });
  await engine.start();
  try {
    await endAllSessions(engine, internalIndex);
  } finally {
    await engine.stop();
  }
}

async function assertEmpty(dataDir: string): Promise<void> {
  let names: readonly string[];
  try {
    names = await readdir(dataDir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw coreErrors.backup_refused({ reason: (error as Error).message }, { cause: error });
  }
  const isUnfinished = names.includes(STAGE_NAME) && names.every((name) => UNFINISHED.includes(name));
  if (names.length === 0 || isUnfinished) return;
  const reason = `"${dataDir}" is not empty: a backup is restored into an empty folder only`;
  throw coreErrors.backup_refused({ reason });
}

/** @throws core.backup_refused naming the first file that isn't the one of the manifest */
async function assertUnchanged(source: string, { files }: BackupManifest): Promise<void> {
  for (const { name, bytes, sha256 } of files) {
    const refuse = (problem: string, cause?: unknown) =>
      coreErrors.backup_refused({ reason: `the backup is damaged: "${name}" ${problem}` }, { cause });
    // The manifest may come from anywhere.
    if (!BACKUP_FILE_NAME.test(name)) throw refuse('is not a file of a backup');
    const found = await digest(join(source, name)).catch((error: unknown) => {
      throw refuse('can not be read', error);
    });
    if (found.bytes !== bytes || found.sha256 !== sha256) throw refuse('is not the file that was backed up');
  }
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * Applies the changes since a backup, up to a moment or to the last one that was exported.
 * @returns the position of the database
 * @throws core.backup_refused if changes before the moment are missing
 */
async function applySegments({ file, manifest, directory, until }: Changes): Promise<number> {
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

/**
 * The folder of the backup to restore.
 * @param source one backup, or a folder of backups: the newest one that was complete before `until`
 * @throws core.backup_refused if there is none
 */
async function chooseBackup(source: string, until: Moment | undefined): Promise<string> {
  const refuse = (reason: string) => coreErrors.backup_refused({ reason });
  if (!existsSync(source)) throw refuse(`"${source}" does not exist`);
  if (existsSync(join(source, MANIFEST_NAME))) {
    const { name, ...manifest } = await readManifest(source);
    if (isBefore(manifest, until)) return source;
    throw refuse(`backup "${name}" was made after this moment: restore from an earlier one`);
  }
  const backups = await new BackupFolder(source).list();
  if (backups.length === 0) throw refuse(`"${source}" is no backup, and has none in it`);
  const chosen = backups.find((manifest) => isBefore(manifest, until));
  if (chosen === undefined) throw refuse(`no backup in "${source}" was made before this moment`);
  return join(source, chosen.name);
}

function isBefore({ seq, endedAt }: Pick<BackupManifest, 'seq' | 'endedAt'>, until: Moment | undefined): boolean {
  if (until === undefined) return true;
  return 'seq' in until ? seq <= until.seq : endedAt <= until.timeMs;
}
