import { open, type FileHandle } from 'node:fs/promises';
import { LOG_MARK } from './LogRecords.js';

/** A log file open for appending. Writes go to the place it knows, so that a failed one can be done again. */
export class LogFile {
  private constructor(
    readonly path: string,
    private readonly handle: FileHandle,
    private end: number,
  ) {}

  /** A new file, its mark written and forced to the disk. */
  static async create(path: string): Promise<LogFile> {
    const handle = await open(path, 'w');
    const file = new LogFile(path, handle, 0);
    await file.write(LOG_MARK);
    await file.sync();
    return file;
  }

  /** A file that is there, cut behind its last good byte. */
  static async reopen(path: string, goodBytes: number): Promise<LogFile> {
    if (goodBytes === 0) return LogFile.create(path);
    const handle = await open(path, 'r+');
    await handle.truncate(goodBytes);
    return new LogFile(path, handle, goodBytes);
  }

  /** In bytes. */
  get size(): number {
    return this.end;
  }

  async write(bytes: Buffer): Promise<void> {
    for (let done = 0; done < bytes.length;) {
      const { bytesWritten } = await this.handle.write(
        bytes,
        done,
        bytes.length - done,
        this.end + done,
      );
      done += bytesWritten;
    }
    this.end += bytes.length;
  }

  async sync(): Promise<void> {
    await this.handle.datasync();
  }

  async close(): Promise<void> {
    await this.handle.close();
  }
}
