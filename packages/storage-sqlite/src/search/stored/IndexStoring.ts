import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { PRIVATE_FILE_MODE } from '../../directory/makePrivateFile.js';
import type { IndexOutput } from '@millrace/search';

/** What the database records of a stored index: the index holds all rows up to `n` and tombstones up to `s`. */
export interface IndexFileRecord {
  readonly k: number;
  readonly n: number;
  readonly s: number;
  readonly token: string;
}

/** An index on its way into a file, a piece at a time, so that nobody waits for it. */
export class IndexStoring {
  private readonly file: number;
  private readonly pieces: Iterator<Uint8Array, undefined>;
  private sum = 0;
  private isOpen = true;

  constructor(
    private readonly path: string,
    readonly record: IndexFileRecord,
    /** How many documents are in it. */
    readonly slotCount: number,
    output: IndexOutput,
  ) {
    this.file = openSync(path, 'wx', PRIVATE_FILE_MODE);
    this.pieces = output.pieces();
  }

  /**
   * Goes on for a short time.
   * @returns true when the file is whole
   * @throws Error from the file system; what was written is then removed
   */
  step(sliceMs: number): boolean {
    const endMs = performance.now() + sliceMs;
    try {
      for (;;) {
        const { done, value } = this.pieces.next();
        if (done === true) break;
        writeFully(this.file, value);
        this.sum = crc32(value, this.sum);
        if (performance.now() > endMs) return false;
      }
      writeFully(this.file, new Uint8Array(Uint32Array.of(this.sum).buffer));
      this.close();
      return true;
    } catch (error) {
      this.abandon();
      throw error;
    }
  }

  /** Removes what was written. */
  abandon(): void {
    this.close();
    rmSync(this.path, { force: true });
  }

  private close(): void {
    if (this.isOpen) closeSync(this.file);
    this.isOpen = false;
  }
}

function writeFully(file: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length;) {
    written += writeSync(file, bytes, written, bytes.length - written);
  }
}
