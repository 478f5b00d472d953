import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import {
  BackupFolder,
  gzipBackup,
  runBackup,
  type BackupConfig,
  type BackupManifest,
  type BackupRun,
} from '@millrace/backup';
import { coreErrors, loadConfig, type Config } from '@millrace/kernel';
import { EngineFile } from '@millrace/move';
import { internalIndexOf, type ServerConfig } from '../config.js';
import { prepareConfig } from '../configuration/prepareConfig.js';
import { ProgressLine } from '../transfer/ProgressLine.js';
import { VERSION } from '../version.js';
import type { Command, CommandContext } from './Command.js';
import type { CommandCall } from './CommandCall.js';

const PROGRESS_MS = 200;
const ELSEWHERE =
  'The documents are not in the embedded engine: use the snapshots of Elasticsearch, or millrace export';

/** Makes a backup of a data folder. */
export const backupCommand: Command = {
  name: 'backup',
  summary: 'Makes a backup of the data folder, whether or not a server runs on it',
  description: 'With --to - the backup goes to standard output: millrace backup --to - > backup.tar.gz',
  options: {
    to: { value: 'DIR', doc: 'folder of backups, or - for a .tar.gz on standard output [backup.directory]' },
    note: { value: 'TEXT', doc: 'a note in the backup' },
  },
  usesConfig: true,
  hasResult: true,
  run: async (call) => {
    const { schema, sources } = prepareConfig(await call.kernelOptions());
    const task = taskOf(call, loadConfig(schema, sources));
    const run = runBackup(task);
    const manifest = await shown(run, call.context);
    const folder = new BackupFolder(task.directory);
    const { path } = await folder.find(manifest.name);
    if (call.value('to') !== '-') return { text: textOf(manifest, path), json: { ...manifest, path } as never };
    const { stdout } = call.context;
    await pipeline(gzipBackup(path, manifest), stdout, { end: false });
    await folder.remove(manifest.name);
    return undefined;
  },
};

function taskOf(call: CommandCall, config: Config) {
  const engineOf = (section: string) => config.section<{ readonly engine: string }>(section).engine;
  if (engineOf('storage') !== 'sqlite') throw coreErrors.backup_refused({ reason: ELSEWHERE });
  const server = config.section<ServerConfig>('server');
  const dataDir = resolve(call.context.folder, server.dataDir);
  if (new EngineFile(dataDir).read() !== undefined) throw coreErrors.backup_refused({ reason: ELSEWHERE });
  const to = call.value('to') ?? '-';
  const { directory } = config.section<BackupConfig>('backup');
  const configured = directory === '' ? resolve(dataDir, 'backups') : directory;
  const startedAt = Date.now();
  return {
    dataDir,
    directory: resolve(call.context.folder, to === '-' ? configured : to),
    name: BackupFolder.nameAt(startedAt),
    startedAt,
    note: call.value('note') ?? '',
    isScheduled: false,
    internalIndex: internalIndexOf(server),
    memoryStore: engineOf('memoryStore') === 'embedded',
    version: VERSION,
  };
}

/** Shows the progress on a terminal. */
async function shown(run: BackupRun, { stderr }: CommandContext): Promise<BackupManifest> {
  const line = new ProgressLine(stderr);
  if (!line.isTerminal) return run.done;
  const timer = setInterval(() => {
    void run.progress().then(({ bytes, totalBytes }) => line.show(`of ${mib(totalBytes)}`, bytes / totalBytes));
  }, PROGRESS_MS);
  try {
    return await run.done;
  } finally {
    clearInterval(timer);
    line.clear();
  }
}

function textOf({ name, files, collections }: BackupManifest, path: string): string {
  const bytes = files.reduce((sum, each) => sum + each.bytes, 0);
  const documents = collections.reduce((sum, each) => sum + each.documents, 0);
  return `Backup ${name}: ${documents} documents, ${mib(bytes)}, verified, in ${path}\n`;
}

function mib(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(1)} MiB`;
}
