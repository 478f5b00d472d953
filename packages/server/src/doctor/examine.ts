import { stat } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { BackupFolder, type BackupConfig } from '@millrace/backup';
import { readDescriptorLimit } from '../createNetworkGuard.js';
import type { ServerConfig } from '../config.js';
import { checkDataDirectory, checkFolder } from './checkDataDirectory.js';
import { checkElasticsearch } from './checkElasticsearch.js';
import { checkEntrypoints } from './checkEntrypoints.js';
import { checkProcess } from './checkProcess.js';
import { checkRedis } from './checkRedis.js';
import { checkTls } from './checkTls.js';
import { fault, ok, warning, type DoctorContext, type Finding } from './Finding.js';

const PLACEHOLDER = /change.?me|replace|example|your.?secret|default|placeholder|1234567/i;

const OF_OTHERS = 0o077;

const HOUR_MS = 60 * 60_000;

/** A daily backup may have failed once. */
const MAX_AGE_HOURS = 49;

/** Examines a valid configuration and everything it refers to. Changes nothing. */
export async function examine(context: DoctorContext): Promise<readonly Finding[]> {
  const { findings: data, isInUse } = await checkDataDirectory(context);
  return [
    ...examineProcess(),
    ...data,
    ...(await checkEntrypoints(context, isInUse)),
    ...(await checkTls(context)),
    ...(await checkSecrets(context)),
    ...(await checkRedis(context)),
    ...(await checkElasticsearch(context)),
    ...(await checkBackups(context)),
  ];
}

/** What can be examined without a configuration. */
export function examineProcess(): readonly Finding[] {
  return checkProcess({
    nodeVersion: process.version,
    descriptors: readDescriptorLimit(),
    heapLimit: getHeapStatistics().heap_size_limit,
    memoryLimit: memoryLimit(),
  });
}

/** That of the container, if there is one. */
function memoryLimit(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 && constrained < totalmem() ? constrained : totalmem();
}

/** Whether there is a recent backup of the embedded engine. */
async function checkBackups(context: DoctorContext): Promise<readonly Finding[]> {
  const { config, folder, environment } = context;
  if (config.section<{ engine: string }>('storage').engine !== 'sqlite') return [];
  const { directory, schedule } = config.section<BackupConfig>('backup');
  const dataDir = resolve(folder, config.section<ServerConfig>('server').dataDir);
  const path = directory === '' ? join(dataDir, 'backups') : resolve(folder, directory);
  const isWanted = schedule !== '' || environment['NODE_ENV'] === 'production';
  if (!isWanted) return [ok('backup', 'no production, no schedule of backups')];
  const folderFinding = await checkFolder('backup-directory', path);
  if (folderFinding.level === 'error') return [folderFinding];
  const newest = await new BackupFolder(path).newest();
  if (newest === undefined) {
    const mend =
      schedule === ''
        ? 'Set backup.schedule: "0 3 * * *", and backup.directory on another disk'
        : 'The server makes one by backup.schedule; make the first one now: millrace backup';
    return [warning('backup-missing', `no backup in ${path}`, mend)];
  }
  const hours = Math.floor((Date.now() - newest.startedAt) / HOUR_MS);
  const saw = `the newest backup in ${path} is ${hours} hours old`;
  if (hours <= MAX_AGE_HOURS) return [ok('backup', saw)];
  const mend = 'See the log for "the last backup failed", and backup.schedule';
  return [warning('backup-old', saw, mend)];
}

/** Secrets that others know or can read. */
async function checkSecrets(context: DoctorContext): Promise<readonly Finding[]> {
  return [checkSigningSecret(context), await checkFileMode(context)];
}

function checkSigningSecret({ config }: DoctorContext): Finding {
  const { secret } = config.section<{ readonly jwt: { readonly secret: string } }>('security').jwt;
  const id = 'default-secret';
  if (!PLACEHOLDER.test(secret)) return ok(id, 'the secret that signs tokens is no known placeholder');
  const mend = 'Leave it empty, so that one is generated, or set 32 random bytes: openssl rand -base64 32';
  return fault(id, 'security.jwt.secret looks like a placeholder: anyone can forge tokens', mend);
}

async function checkFileMode({ configFile, secretsInFile }: DoctorContext): Promise<Finding> {
  const id = 'secrets-readable';
  if (configFile === undefined || secretsInFile.length === 0) return ok(id, 'no secret in a configuration file');
  const { mode } = await stat(configFile);
  if ((mode & OF_OTHERS) === 0) return ok(id, `${configFile} is private`);
  const saw = `Other users of the machine can read ${secretsInFile.join(', ')} in ${configFile}`;
  return warning(id, saw, `chmod go= ${configFile}`);
}
