import { backupModule } from '@millrace/backup';
import { httpModule } from '@millrace/entrypoint-http';
import type { Module } from '@millrace/kernel';
import { memoryStoreModule } from '@millrace/memory-store';
import { moveModule } from '@millrace/move';
import { realtimeModule } from '@millrace/realtime';
import { securityModule } from '@millrace/security';
import { storageModule } from '@millrace/storage';
import { Timetable } from '../schedules/Timetable.js';
import { VERSION } from '../version.js';
import { clusterModule } from './clusterModule.js';
import { engineModules } from './engineModules.js';

/** Set up before the plugins, which may use the cluster link and register further engines. */
export const BASE_MODULES: readonly Module[] = [httpModule, ...engineModules, clusterModule];

/** Set up after the plugins; they use the configured engines. */
export const SERVICE_MODULES: readonly Module[] = [
  securityModule,
  storageModule,
  realtimeModule,
  memoryStoreModule,
  backupModule({ version: VERSION, assertCron: (cron) => void new Timetable({ cron }) }),
  moveModule,
];
