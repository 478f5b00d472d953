import { createReadStream, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { restoreBackup, unpackBackup, type RestoredBackup } from '@millrace/backup';
import { coreErrors, makePrivateDirectory, MillraceError } from '@millrace/kernel';
import type { Moment } from '@millrace/storage-sqlite';
import type { Command } from './Command.js';
import { UsageError } from './UsageError.js';

/** Restores a backup into an empty folder. */
export const restoreCommand: Command = {
  name: 'restore',
  summary: 'Restores a backup into an empty folder',
  description:
    'All sessions end, and subscriptions begin again. Start a server on the folder afterwards: millrace --server.dataDir DIR',
  arguments: [
    { name: 'FILE|DIR', doc: 'a .tar.gz of millrace backup, a backup, or a folder of backups (the newest one)' },
  ],
  options: {
    dataDir: { value: 'DIR', doc: 'an empty folder, or one that is created' },
    until: {
      value: 'TIME',
      doc: 'this moment, such as 2026-11-23T14:03:00Z, or a position of the change log; needs backup.continuous',
    },
    dryRun: { doc: 'checks the backup and writes nothing' },
  },
  usesConfig: false,
  hasResult: true,
  run: async (call) => {
    const given = call.value('dataDir');
    if (given === undefined) throw new UsageError('Option --dataDir is missing: expected --dataDir DIR');
    const dataDir = resolve(call.context.folder, given);
    const source = resolve(call.context.folder, call.argument(0));
    const until = momentOf(call.value('until'));
    const isDryRun = call.has('dryRun');
    const options = { dataDir, isDryRun, ...(until !== undefined && { until }) };
    const isFile = statSync(source, { throwIfNoEntry: false })?.isFile() === true;
    const restored = isFile
      ? await fromArchive(source, dataDir, (unpacked) => restoreBackup({ ...options, source: unpacked }))
      : await restoreBackup({ ...options, source });
    return { text: textOf(restored, isDryRun, dataDir), json: { ...restored } as never };
  },
};

function momentOf(value: string | undefined): Moment | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,15}$/.test(value)) return { seq: Number(value) };
  const timeMs = /^\d{4}-/.test(value) ? Date.parse(value) : NaN;
  if (Number.isNaN(timeMs))
    throw new UsageError('Option --until: expected a time such as 2026-11-23T14:03:00Z, or a position');
  return { timeMs };
}

/** Unpacks an archive next to the data folder, which then is on the same disk. */
async function fromArchive<T>(archive: string, dataDir: string, use: (unpacked: string) => Promise<T>): Promise<T> {
  makePrivateDirectory(dirname(dataDir));
  const folder = await mkdtemp(join(dirname(dataDir), '.millrace-restore-'));
  try {
    await unpack(archive, folder);
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @throws core.backup_refused naming the file, if it is no archive of a backup */
async function unpack(archive: string, folder: string): Promise<void> {
  try {
    await pipeline(createReadStream(archive), createGunzip(), (chunks: AsyncIterable<Buffer>) =>
      unpackBackup(chunks, folder),
    );
  } catch (error) {
    if (error instanceof MillraceError) throw error;
    const reason = `"${archive}" is no .tar.gz of millrace backup: ${(error as Error).message}`;
    throw coreErrors.backup_refused({ reason }, { cause: error });
  }
}

function textOf({ manifest, seq }: RestoredBackup, isDryRun: boolean, dataDir: string): string {
  if (isDryRun) return `${JSON.stringify(manifest, null, 2)}\n`;
  const later = seq > manifest.seq ? `, with the changes up to position ${seq}` : '';
  return `Backup ${manifest.name} is restored${later}: millrace --server.dataDir ${dataDir}\n`;
}
