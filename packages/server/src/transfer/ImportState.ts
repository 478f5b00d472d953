import { createHash } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { CollectionName } from '@millrace/kernel';

/** How far an import has come. */
export interface ImportPosition {
  /** Bytes of the file whose records are stored. */
  readonly bytes: number;
  readonly collection: CollectionName | null;
}

/** Keeps the position of an import next to the imported file, so that a second run goes on. */
export class ImportState {
  private readonly path: string;

  /**
   * @param target the server or data; each has its own position
   * @param size of the file: a file of another size is another export
   */
  constructor(
    file: string,
    target: string,
    private readonly size: number,
  ) {
    const digest = createHash('sha256').update(target).digest('hex').slice(0, 8);
    this.path = `${file}.${digest}.import`;
  }

  async read(): Promise<ImportPosition | null> {
    try {
      const state = JSON.parse(await readFile(this.path, 'utf8')) as ImportPosition & {
        readonly size: number;
      };
      return state.size === this.size ? state : null;
    } catch {
      return null;
    }
  }

  async write(position: ImportPosition): Promise<void> {
    const temporary = `${this.path}.tmp`;
    await writeFile(temporary, JSON.stringify({ ...position, size: this.size }));
    await rename(temporary, this.path);
  }

  async remove(): Promise<void> {
    await rm(this.path, { force: true });
  }
}
