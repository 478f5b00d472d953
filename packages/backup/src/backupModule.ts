import { resolve } from 'node:path';
import {
  CLOCK,
  coreErrors,
  INTERNAL_INDEX,
  NOTIFIERS,
  SECURITY,
  STORAGE_ENGINE,
  MEMORY_STORE_ENGINE,
  type Config,
  type Module,
} from '@millrace/kernel';
import { EmbeddedEngine } from '@millrace/memory-store';
import { backupActions } from './backupActions.js';
import { backupConfig, type BackupConfig } from './backupConfig.js';
import { BACKUPS, EMBEDDED_ENGINE } from './BACKUP_TOKENS.js';
import { Backups } from './Backups.js';
import { ContinuousBackup } from './ContinuousBackup.js';
import { downloadActions } from './downloadActions.js';
import { assertRestored } from './restoreBackup.js';

const ELSEWHERE =
  'The documents are not in the embedded engine, which alone makes backups: use the snapshots of Elasticsearch (or what your storage engine has), or an export';

interface RealtimeHistory {
  readonly history: { readonly collections: unknown; readonly maxAgeMs: number };
}

/** Changes have to be exported before they are removed. */
const MIN_HISTORY_MS = 300_000;

/** What the module needs to know of its server. */
export interface BackupModuleOptions {
  /** Version of the server, noted in backups. */
  readonly version: string;
  /** @throws Error describing the problem of a cron pattern */
  readonly assertCron: (pattern: string) => void;
}

/** Backups of the embedded engines. */
export const backupModule = ({ version, assertCron }: BackupModuleOptions): Module => ({
  name: 'backup',
  config: backupConfig(assertCron),
  setup(host) {
    const { services, settings, log } = host;
    const config = settings.section<BackupConfig>('backup');
    const { dataDir } = settings.section<{ readonly dataDir: string }>('server');
    const engine = services.resolve(STORAGE_ENGINE);
    const isConfigured = services.isRegistered(EMBEDDED_ENGINE);
    const embedded = () => (isConfigured ? services.resolve(EMBEDDED_ENGINE)() : undefined);
    if (isConfigured) assertRestored(resolve(dataDir));
    const backups = new Backups({
      dataDir: resolve(dataDir),
      config,
      internalIndex: services.resolve(INTERNAL_INDEX),
      obstacle: () => (embedded() === undefined ? ELSEWHERE : undefined),
      memoryStore: services.resolve(MEMORY_STORE_ENGINE) instanceof EmbeddedEngine,
      version,
      clock: services.resolve(CLOCK),
      log,
    });
    services.registerInstance(BACKUPS, backups);
    const tickets = host.tickets('downloads');
    host.component('backups', () => backups, 'background');
    host.actions(() => {
      const progress = { notifiers: services.resolve(NOTIFIERS), clock: services.resolve(CLOCK) };
      const security = services.resolve(SECURITY);
      return [...backupActions(backups, { engine, security }, progress), ...downloadActions(backups, { tickets, log })];
    });
    if (config.continuous) assertContinuous(settings);
    if (config.schedule === '') return;
    const first = embedded();
    if (first === undefined) throw invalid('schedule', ELSEWHERE);
    host.schedule('backup', { cron: config.schedule }, () => backups.runScheduled());
    if (!config.continuous) return;
    const continuous = new ContinuousBackup({
      dataDir: resolve(dataDir),
      backups,
      isInUse: () => embedded() === first,
      epoch: () => first.changeLog.epoch,
      log,
    });
    first.beforeWipe = () => continuous.export();
    host.component('continuous backup', () => continuous, 'background');
  },
});

/** @throws core.invalid_config if not all changes are recorded long enough */
function assertContinuous(settings: Config): void {
  if (settings.section<BackupConfig>('backup').schedule === '')
    throw invalid('continuous', 'it needs backup.schedule, as old changes are removed with old backups');
  const { history } = settings.section<RealtimeHistory>('realtime');
  if (history.collections !== 'all') throw invalid('continuous', 'it needs realtime.history.collections to be "all"');
  if (history.maxAgeMs < MIN_HISTORY_MS)
    throw invalid('continuous', `it needs realtime.history.maxAgeMs to be at least ${MIN_HISTORY_MS}`);
}

function invalid(key: keyof BackupConfig, problem: string): Error {
  return coreErrors.invalid_config({ problem: `Invalid configuration backup.${key}: ${problem}` });
}
