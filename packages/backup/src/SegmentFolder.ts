import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '@millrace/kernel';

const NAME = /^([0-9a-z]{8})-(\d{16})-(\d{16})\.db$/;
const UNFINISHED_NAME = '.unfinished.db';

/** The changes of the change log after one position and up to another one. */
export interface Segment {
  readonly path: string;
  readonly epoch: string;
  readonly after: number;
  readonly to: number;
}

/** The folder of recorded changes, `changes` in the folder of backups. A segment appears once it is complete. */
export class SegmentFolder {
  readonly path: string;

  constructor(backups: string) {
    this.path = join(backups, 'changes');
  }

  /** Segments by epoch and position. */
  async list(): Promise<readonly Segment[]> {
    const names = await readdir(this.path).catch(() => []);
    return names.sort().flatMap((name) => {
      const [, epoch = '', after, to] = NAME.exec(name) ?? [];
      const path = join(this.path, name);
      return epoch === '' ? [] : [{ path, epoch, after: Number(after), to: Number(to) }];
    });
  }

  /** Creates the folder. @returns a path that doesn't exist */
  async begin(): Promise<string> {
    await mkdir(this.path, { recursive: true, mode: 0o700 });
    const path = join(this.path, UNFINISHED_NAME);
    await rm(path, { force: true });
    return path;
  }

  /** What `begin` returned is a segment now. */
  async complete(epoch: string, after: number, to: number): Promise<void> {
    const digits = (seq: number) => String(seq).padStart(16, '0');
    const name = `${epoch}-${digits(after)}-${digits(to)}.db`;
    await rename(join(this.path, UNFINISHED_NAME), join(this.path, name));
    await syncFolder(this.path);
  }

  /** Removes the segments that don't match. */
  async keep(isNeeded: (segment: Segment) => boolean): Promise<void> {
    for (const segment of await this.list()) if (!isNeeded(segment)) await rm(segment.path, { force: true });
  }
}
