import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { coreErrors } from '@millrace/kernel';
import { BACKUP_FILE_NAME, MANIFEST_NAME } from './BackupManifest.js';
import { parseTarHeader, TAR_BLOCK_BYTES } from './tarHeader.js';

/**
 * Unpacks a tar archive that `packBackup` made.
 * @param target an empty folder
 * @throws core.backup_refused if it is anything else
 */
export async function unpackBackup(archive: AsyncIterable<Buffer>, target: string): Promise<void> {
  const reader = new ArchiveReader(archive[Symbol.asyncIterator]());
  try {
    for (;;) {
      const entry = parseTarHeader(await reader.take(TAR_BLOCK_BYTES));
      if (entry === undefined) return;
      const { name, bytes } = entry;
      if (name !== MANIFEST_NAME && !BACKUP_FILE_NAME.test(name))
        throw new Error(`${JSON.stringify(name)} is no file of a backup`);
      const path = join(target, name);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const file = await open(path, 'wx', 0o600);
      try {
        await reader.copy(bytes, file);
      } finally {
        await file.close();
      }
      const rest = bytes % TAR_BLOCK_BYTES;
      if (rest > 0) await reader.take(TAR_BLOCK_BYTES - rest);
    }
  } catch (error) {
    const reason = `the archive can not be unpacked: ${(error as Error).message}`;
    throw coreErrors.backup_refused({ reason }, { cause: error });
  }
}

class ArchiveReader {
  private held: Buffer = Buffer.alloc(0);

  constructor(private readonly chunks: AsyncIterator<Buffer>) {}

  async take(length: number): Promise<Buffer> {
    while (this.held.length < length) this.held = Buffer.concat([this.held, await this.next()]);
    return this.drop(length);
  }

  async copy(bytes: number, file: FileHandle): Promise<void> {
    for (let left = bytes; left > 0;) {
      if (this.held.length === 0) this.held = await this.next();
      const piece = this.drop(Math.min(left, this.held.length));
      await file.writeFile(piece);
      left -= piece.length;
    }
  }

  private drop(length: number): Buffer {
    const piece = this.held.subarray(0, length);
    this.held = this.held.subarray(length);
    return piece;
  }

  private async next(): Promise<Buffer> {
    const step = await this.chunks.next();
    if (step.done === true) throw new Error('it ends too early');
    return step.value;
  }
}
