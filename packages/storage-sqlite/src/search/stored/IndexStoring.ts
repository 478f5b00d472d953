import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { PRIVATE_FILE_MODE } from '../../directory/makePrivateFile.js';
import type { IndexOutput } from '@millrace/search';
import type { IndexFileRecord } from '../../writer/IndexFiles.js';

/** Writes an index to a file in small steps, so that other tasks don't wait for it. */
export class IndexStoring {
  private readonly file: number;
  private readonly pieces: Iterator<Uint8Array, undefined>;
  private sum = 0;
  private isOpen = true;

  constructor(
    private readonly path: string,
    readonly record: IndexFileRecord,
    /** Number of documents in it. */
    readonly slotCount: number,
    output: IndexOutput,
  ) {
    this.file = openSync(path, 'wx', PRIVATE_FILE_MODE);
    this.pieces = output.pieces();
  }

  /**
   * Continues for a short time.
   * @returns true if the file is complete
   * @throws Error from the file system; the incomplete file is then removed
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

  /** Removes the incomplete file. */
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
