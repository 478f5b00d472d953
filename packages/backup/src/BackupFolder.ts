import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { coreErrors, makePrivateDirectory, syncFolder } from '@millrace/kernel';
import { readManifest, type BackupManifest } from './BackupManifest.js';

const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z$/;
/** A backup that is being made: the id of its process follows. */
const UNFINISHED = /^\.unfinished-(\d+)-/;

const ABSENCE: readonly string[] = ['ENOENT', 'ENOTDIR'];

/** The folder of backups (`backup.directory`). A backup appears in it by a rename, once it is complete and on the disk. */
export class BackupFolder {
  constructor(readonly path: string) {}

  /** The name of a backup that begins at this time. */
  static nameAt(timeMs: number): string {
    return new Date(timeMs).toISOString().replace(/[:.]/g, '-');
  }

  unfinishedPath(name: string): string {
    return join(this.path, `.unfinished-${process.pid}-${name}`);
  }

  /** All backups, the newest first. Folders without a readable manifest aren't backups. */
  async list(): Promise<readonly BackupManifest[]> {
    const names = await this.names();
    const manifests = await Promise.all(names.map((name) => this.manifestOf(name)));
    return manifests.filter((each) => each !== undefined);
  }

  /** The newest backup; undefined if there is none. */
  async newest(): Promise<BackupManifest | undefined> {
    for (const name of await this.names()) {
      const manifest = await this.manifestOf(name);
      if (manifest !== undefined) return manifest;
    }
    return undefined;
  }

  /** @throws core.backup_not_found */
  async find(name: string): Promise<{ readonly path: string; readonly manifest: BackupManifest }> {
    const path = join(this.path, name);
    const isThere = NAME.test(name) && (await stat(path).catch(() => undefined));
    if (!isThere) throw coreErrors.backup_not_found({ name });
    return { path, manifest: await readManifest(path) };
  }

  /** Makes the folder of a new backup. @throws Error of the file system */
  async begin(name: string): Promise<string> {
    makePrivateDirectory(this.path);
    const path = this.unfinishedPath(name);
    await mkdir(path, { mode: 0o700 });
    return path;
  }

  /** A complete backup gets its name. */
  async complete(name: string): Promise<void> {
    await rename(this.unfinishedPath(name), join(this.path, name));
    await syncFolder(this.path);
  }

  async remove(name: string): Promise<void> {
    // Not half of it: a backup without its manifest isn't one.
    await rm(join(this.path, name, 'manifest.json'), { force: true });
    await rm(join(this.path, name), { recursive: true, force: true });
  }

  /** Removes what killed processes have left. Call it while this process makes no backup. */
  async removeUnfinished(): Promise<void> {
    for (const entry of await this.entries()) {
      const pid = UNFINISHED.exec(entry)?.[1];
      if (pid === undefined || isOther(Number(pid))) continue;
      await rm(join(this.path, entry), { recursive: true, force: true });
    }
  }

  /** The newest first. */
  private async names(): Promise<readonly string[]> {
    const entries = await this.entries();
    return entries
      .filter((each) => NAME.test(each))
      .sort()
      .reverse();
  }

  /** Undefined: the folder isn't a backup. */
  private manifestOf(name: string): Promise<BackupManifest | undefined> {
    return readManifest(join(this.path, name)).catch(() => undefined);
  }

  private async entries(): Promise<readonly string[]> {
    try {
      return await readdir(this.path);
    } catch (error) {
      // A file in its place is reported when a backup is made.
      if (ABSENCE.includes(String((error as NodeJS.ErrnoException).code))) return [];
      throw error;
    }
  }
}

/** Whether another process with this id is running. */
function isOther(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
