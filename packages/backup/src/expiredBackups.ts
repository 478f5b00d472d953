import type { BackupManifest } from './BackupManifest.js';

/** How many backups are kept (`backup.keep`). */
export interface BackupKeep {
  /** Of this many days with a backup the last one is kept. */
  readonly daily: number;
  /** Of this many weeks with a backup the last one is kept. */
  readonly weekly: number;
}

const DAY_MS = 86_400_000;
/** The first Monday of UTC time. */
const FIRST_MONDAY = 4;

/**
 * The scheduled backups that needn't be kept: all but the newest, and the last ones of the last days and weeks (UTC, from
 * Monday). Others are only removed by hand.
 * @param backups all backups, the newest first
 */
export function expiredBackups(
  backups: readonly BackupManifest[],
  { daily, weekly }: BackupKeep,
): readonly BackupManifest[] {
  const scheduled = backups.filter(({ isScheduled }) => isScheduled);
  const dayOf = ({ startedAt }: BackupManifest) => Math.floor(startedAt / DAY_MS);
  const weekOf = (each: BackupManifest) => Math.floor((dayOf(each) - FIRST_MONDAY) / 7);
  const kept = new Set([
    ...scheduled.slice(0, 1),
    ...lastOfEach(scheduled, dayOf, daily),
    ...lastOfEach(scheduled, weekOf, weekly),
  ]);
  return scheduled.filter((each) => !kept.has(each));
}

function lastOfEach(
  backups: readonly BackupManifest[],
  periodOf: (backup: BackupManifest) => number,
  count: number,
): readonly BackupManifest[] {
  const last = new Map<number, BackupManifest>();
  for (const backup of backups) {
    const period = periodOf(backup);
    if (!last.has(period)) last.set(period, backup);
  }
  return [...last.values()].slice(0, count);
}
