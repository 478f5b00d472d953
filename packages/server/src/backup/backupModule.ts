import { resolve } from 'node:path';
import {
  CLOCK,
  coreErrors,
  INTERNAL_INDEX,
  STORAGE_ENGINE,
  MEMORY_STORE_ENGINE,
  type Module,
} from '@millrace/kernel';
import { SqliteEngine } from '@millrace/storage-sqlite';
import { EmbeddedEngine } from '@millrace/memory-store';
import { BACKUPS } from '../modules/SERVER_TOKENS.js';
import type { ServerConfig } from '../ServerConfig.js';
import { backupActions } from './backupActions.js';
import { backupConfig, type BackupConfig } from './backupConfig.js';
import { Backups } from './Backups.js';

const ELSEWHERE =
  'The documents are not in the embedded engine, which alone makes backups: use the snapshots of Elasticsearch (or what your storage engine has), or an export';

/** Backups of the embedded engines. */
export const backupModule: Module = {
  name: 'backup',
  config: backupConfig,
  setup(host) {
    const { services, settings, log } = host;
    const config = settings.section<BackupConfig>('backup');
    const { dataDir } = settings.section<ServerConfig>('server');
    const isEmbedded = services.resolve(STORAGE_ENGINE) instanceof SqliteEngine;
    const backups = new Backups({
      dataDir: resolve(dataDir),
      config,
      internalIndex: services.resolve(INTERNAL_INDEX),
      obstacle: isEmbedded ? undefined : ELSEWHERE,
      memoryStore: services.resolve(MEMORY_STORE_ENGINE) instanceof EmbeddedEngine,
      clock: services.resolve(CLOCK),
      log,
    });
    services.registerInstance(BACKUPS, backups);
    host.component('backups', () => backups, 'background');
    host.actions(() => backupActions(backups, services.resolve(STORAGE_ENGINE)));
    if (config.schedule === '') return;
    if (!isEmbedded)
      throw coreErrors.invalid_config({
        problem: `Invalid configuration backup.schedule: ${ELSEWHERE}`,
      });
    host.schedule('backup', { cron: config.schedule }, () => backups.runScheduled());
  },
};
