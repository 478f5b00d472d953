import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@millrace/kernel';
import { parseMapping } from '@millrace/query';
import { createSqliteEngine } from '@millrace/storage-sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BackupFolder } from './BackupFolder.js';
import { MANIFEST_NAME } from './BackupManifest.js';
import { makeBackup } from './makeBackup.js';
import { packBackup } from './packBackup.js';
import { restoreBackup } from './restoreBackup.js';
import { parseTarHeader, TAR_BLOCK_BYTES, tarHeader } from './tarHeader.js';
import { unpackBackup } from './unpackBackup.js';

const THINGS = { index: 'shop', collection: 'things' };
const STARTED_AT = Date.UTC(2026, 0, 2);

/** An archive as it arrives: in pieces that end anywhere. */
async function* inPieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 1_000) yield bytes.subarray(at, at + 1_000);
}

async function bytesOf(archive: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of archive) pieces.push(piece);
  return Buffer.concat(pieces);
}

describe('a backup as an archive (BACKUP-1)', () => {
  let folder: string;
  let archive: Buffer;
  let names: readonly string[];
  const at = (name: string) => join(folder, name);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-archive-'));
    const engine = createSqliteEngine({ dataDir: at('data'), logger: silentLogger });
    await engine.start();
    await engine.createIndex(THINGS.index);
    await engine.createCollection(THINGS, parseMapping({ properties: {} }));
    const [written] = await engine.write(
      [{ ...THINGS, kind: 'put', id: 'cup', source: { price: 3 }, condition: 'any' }],
      true,
    );
    expect(written).toMatchObject({ status: 'created' });
    await engine.stop();
    const task = { dataDir: at('data'), directory: at('backups'), startedAt: STARTED_AT, internalIndex: 'internal' };
    const name = BackupFolder.nameAt(STARTED_AT);
    await makeBackup({ ...task, name, note: '', isScheduled: false, memoryStore: false, version: '0.0.0' });
    const backups = new BackupFolder(at('backups'));
    expect((await backups.list()).map((each) => each.name)).toEqual([name]);
    const { path, manifest } = await backups.find(name);
    archive = await bytesOf(packBackup(path, manifest));
    names = [MANIFEST_NAME, ...manifest.files.map((file) => file.name)];
    for (const each of names) expect((await readFile(join(path, each))).length).toBeGreaterThan(0);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('is unpacked and restored with its documents', async () => {
    await unpackBackup(inPieces(archive), at('unpacked'));
    const { manifest } = await restoreBackup({ source: at('unpacked'), dataDir: at('restored') });
    expect(manifest.startedAt).toBe(STARTED_AT);
    const engine = createSqliteEngine({ dataDir: at('restored'), logger: silentLogger });
    await engine.start();
    expect(engine.read(THINGS, 'cup')).toMatchObject({ source: { price: 3 }, version: 1 });
    await engine.stop();
  });

  it.each([
    ['ends too early', () => archive.subarray(0, archive.length - 2_000)],
    ['is not an archive of regular files', () => Buffer.alloc(2 * TAR_BLOCK_BYTES, 7)],
    ['is no file of a backup', () => tarHeader({ name: '../escaped', bytes: 0, timeMs: 0 })],
  ])('is refused if it %s', async (reason, bytes) => {
    const target = await mkdtemp(join(folder, 'refused-'));
    await expect(unpackBackup(inPieces(bytes()), target)).rejects.toMatchObject({
      id: 'core.backup_refused',
      message: expect.stringContaining(reason) as string,
    });
  });

  it('has files of 8 GiB and more', () => {
    for (const bytes of [0, 511, 8 ** 11 - 1, 8 ** 11, 2 ** 50]) {
      expect(parseTarHeader(tarHeader({ name: 'a', bytes, timeMs: STARTED_AT }))).toEqual({ name: 'a', bytes });
    }
    expect(parseTarHeader(Buffer.alloc(TAR_BLOCK_BYTES))).toBeUndefined();
  });
});
