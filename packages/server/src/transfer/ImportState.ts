import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import type { CollectionName } from '@millrace/kernel';

/** Names a document. */
export type StoredId = CollectionName & { readonly _id: string };

/** How far an import has come. */
export interface ImportPosition {
  /** Bytes of the file whose records are stored. */
  readonly bytes: number;
  /** Lines of them. */
  readonly lines: number;
  /** The collection of the records that follow. */
  readonly collection: CollectionName;
  /** The last document that is stored: a target without it has lost what was imported. */
  readonly last: StoredId;
}

/** The beginning of an export has the time at which it was made. */
const BEGINNING_BYTES = 4_096;

/** Keeps the position of an import next to the imported file, so that a second run goes on. */
export class ImportState {
  private constructor(
    private readonly path: string,
    /** Of the file: another one is another export. */
    readonly size: number,
    private readonly beginning: string,
  ) {}

  /** @param target the server or data; each has its own position */
  static async open(file: string, target: string): Promise<ImportState> {
    const { size } = await stat(file);
    const parts = createReadStream(file, { end: BEGINNING_BYTES - 1, encoding: 'latin1' });
    let beginning = '';
    for await (const part of parts) beginning += part;
    return new ImportState(`${file}.${digestOf(target)}.import`, size, digestOf(beginning));
  }

  async read(): Promise<ImportPosition | null> {
    try {
      const state = JSON.parse(await readFile(this.path, 'utf8')) as ImportPosition & {
        readonly size: number;
        readonly beginning: string;
      };
      return state.size === this.size && state.beginning === this.beginning ? state : null;
    } catch {
      return null;
    }
  }

  /** Without effect in a folder that can't be written. */
  async write(position: ImportPosition): Promise<void> {
    const temporary = `${this.path}.tmp`;
    const { size, beginning } = this;
    try {
      await writeFile(temporary, JSON.stringify({ ...position, size, beginning }));
      await rename(temporary, this.path);
    } catch {
      // The import needs no position unless it is interrupted.
    }
  }

  async remove(): Promise<void> {
    await rm(this.path, { force: true });
  }
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
