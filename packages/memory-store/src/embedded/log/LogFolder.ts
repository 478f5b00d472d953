import { readdirSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Names of the files of a log. Generation n is `base-n.log`, all keys as they were when it began, and `changes-n.log`,
 * what happened since. A base appears by renaming, once it is whole, so the highest one counts; change files from its
 * generation on are read in order, as a rewrite that was cut short leaves the next generation without a base.
 */
export class LogFolder {
  constructor(readonly path: string) {}

  basePath(generation: number): string {
    return join(this.path, `base-${generation}.log`);
  }

  changesPath(generation: number): string {
    return join(this.path, `changes-${generation}.log`);
  }

  /** Where a base is written before it counts. */
  unfinishedPath(generation: number): string {
    return `${this.basePath(generation)}.unfinished`;
  }

  /** What is there. */
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

  /** Removes what older generations and broken rewrites have left. */
  async clean(generation: number): Promise<void> {
    for (const name of readdirSync(this.path)) {
      const [, digits] = /^(?:base|changes)-(\d+)\.log(?:\.unfinished)?$/.exec(name) ?? [];
      const isOld = digits !== undefined && Number(digits) < generation;
      if (isOld || name.endsWith('.unfinished')) await rm(join(this.path, name), { force: true });
    }
    await this.sync();
  }

  /** Forces names to the disk, where the system can. */
  async sync(): Promise<void> {
    const folder = await open(this.path, 'r').catch(() => undefined);
    await folder?.sync().catch(() => undefined);
    await folder?.close();
  }
}
