import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline, type Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { MANIFEST_NAME, type BackupManifest } from './BackupManifest.js';
import { TAR_BLOCK_BYTES, tarHeader } from './tarHeader.js';

type Files = Pick<BackupManifest, 'files'>;

/** A backup as the bytes of a .tar.gz. An error of a file destroys the stream. */
export function gzipBackup(path: string, manifest: Files): Readable {
  return pipeline(packBackup(path, manifest), createGzip({ level: 1 }), () => undefined);
}

/** A backup as the bytes of a tar archive (POSIX ustar). */
export async function* packBackup(path: string, { files }: Files): AsyncGenerator<Buffer> {
  for (const name of [MANIFEST_NAME, ...files.map((file) => file.name)]) {
    const { size, mtimeMs } = await stat(join(path, name));
    yield tarHeader({ name, bytes: size, timeMs: mtimeMs });
    if (size > 0) yield* createReadStream(join(path, name), { highWaterMark: 262_144, end: size - 1 });
    const rest = size % TAR_BLOCK_BYTES;
    if (rest > 0) yield Buffer.alloc(TAR_BLOCK_BYTES - rest);
  }
  yield Buffer.alloc(2 * TAR_BLOCK_BYTES);
}
