import { readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '@millrace/kernel';

/**
 * Names of the files of a log. Generation n consists of `base-n.log`, all keys as they were when it began, and
 * `changes-n.log`, the changes since then. A base appears by renaming once it is complete, so the highest one is valid;
 * change files are read in order from its generation on, since an interrupted rewrite leaves the next generation
 * without a base.
 */
export class LogFolder {
  constructor(readonly path: string) {}

  basePath(generation: number): string {
    return join(this.path, `base-${generation}.log`);
  }

  changesPath(generation: number): string {
    return join(this.path, `changes-${generation}.log`);
  }

  /** The path of a base while it is being written. */
  unfinishedPath(generation: number): string {
    return `${this.basePath(generation)}.unfinished`;
  }

  /** The files in the folder. */
  list(): { readonly base: number | undefined; readonly changes: readonly number[] } {
    const names = readdirSync(this.path);
    const generations = (kind: string) =>
      names.flatMap((name) => {
        const digits = new RegExp(`^${kind}-(\\d+)\\.log$`).exec(name)?.[1];
        return digits === undefined ? [] : [Number(digits)];
      });
    const bases = generations('base');
    const base = bases.length === 0 ? undefined : Math.max(...bases);
    const changes = generations('changes').filter((each) => each >= (base ?? 0));
    return { base, changes: changes.sort((left, right) => left - right) };
  }

  /** Removes files of older generations and interrupted rewrites. */
  async clean(generation: number): Promise<void> {
    for (const name of readdirSync(this.path)) {
      const [, digits] = /^(?:base|changes)-(\d+)\.log(?:\.unfinished)?$/.exec(name) ?? [];
      const isOld = digits !== undefined && Number(digits) < generation;
      if (isOld || name.endsWith('.unfinished')) await rm(join(this.path, name), { force: true });
    }
    await this.sync();
  }

  /** Syncs the directory entries to the disk, if the system supports that. */
  sync(): Promise<void> {
    return syncFolder(this.path);
  }
}
