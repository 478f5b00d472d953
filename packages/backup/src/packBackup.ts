import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { MANIFEST_NAME, type BackupManifest } from './BackupManifest.js';
import { TAR_BLOCK_BYTES, tarHeader } from './tarHeader.js';

/** A backup as the bytes of a tar archive (POSIX ustar). */
export async function* packBackup(path: string, { files }: Pick<BackupManifest, 'files'>): AsyncGenerator<Buffer> {
  for (const name of [MANIFEST_NAME, ...files.map((file) => file.name)]) {
    const { size, mtimeMs } = await stat(join(path, name));
    yield tarHeader({ name, bytes: size, timeMs: mtimeMs });
    if (size > 0) yield* createReadStream(join(path, name), { highWaterMark: 262_144, end: size - 1 });
    const rest = size % TAR_BLOCK_BYTES;
    if (rest > 0) yield Buffer.alloc(TAR_BLOCK_BYTES - rest);
  }
  yield Buffer.alloc(2 * TAR_BLOCK_BYTES);
}
