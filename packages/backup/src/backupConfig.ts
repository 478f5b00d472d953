import { integerBetween, type ConfigSchema } from '@millrace/kernel';
import type { BackupKeep } from './expiredBackups.js';

/** The `backup` section of the configuration. */
export interface BackupConfig {
  /** Empty: `backups` in the data folder. */
  readonly directory: string;
  /** Empty: none. */
  readonly schedule: string;
  readonly keep: BackupKeep;
  readonly continuous: boolean;
}

function scheduleFormat(assertCron: (pattern: string) => void): (value: unknown) => void {
  return (value) => {
    if (value === '') return;
    if (typeof value !== 'string' || value.trim().split(/\s+/).length !== 5)
      throw new Error('must be a cron pattern of five fields, such as "0 3 * * *", or empty');
    assertCron(value);
  };
}

const count = integerBetween(0, 1_000);

/** Configuration keys of section `backup`. */
export const backupConfig = (assertCron: (pattern: string) => void): ConfigSchema => ({
  backup: {
    directory: {
      doc: 'Folder of the backups, best on another disk; empty: "backups" in server.dataDir',
      format: String,
      default: '',
    },
    schedule: {
      doc: 'When backups are made: a cron pattern of five fields in UTC, such as "0 3 * * *"; empty: never',
      format: scheduleFormat(assertCron),
      default: '',
    },
    keep: {
      daily: {
        doc: 'Of this many days the last scheduled backup is kept',
        format: count,
        default: 7,
      },
      weekly: {
        doc: 'Of this many weeks the last scheduled backup is kept',
        format: count,
        default: 4,
      },
    },
    continuous: {
      doc: 'Exports the changes of all collections each minute, so that a restore reaches any moment of the last backup.keep.daily days; needs realtime.history.collections "all" and backup.schedule',
      format: Boolean,
      default: false,
    },
  },
});
