import { describe, expect, it } from 'vitest';
import type { BackupManifest } from './BackupManifest.js';
import { expiredBackups } from './expiredBackups.js';

/** Backups at these times, the newest first. */
function backups(times: readonly string[], isScheduled = true): readonly BackupManifest[] {
  const sorted = [...times].sort().reverse();
  return sorted.map((name) => ({ name, startedAt: Date.parse(name), isScheduled }) as unknown as BackupManifest);
}

describe('expiredBackups (BACKUP-5)', () => {
  const namesOf = (expired: readonly BackupManifest[]) => expired.map(({ name }) => name).sort();

  it('keeps the last of each of the last days and weeks', () => {
    // 2026-11-23 is a Monday.
    const all = [
      '2026-11-10T03:00Z', '2026-11-15T03:00Z', // the week before the last
      '2026-11-17T03:00Z', '2026-11-22T03:00Z', '2026-11-22T15:00Z', // the last week
      '2026-11-23T03:00Z', '2026-11-23T15:00Z',
    ]; // prettier-ignore
    expect(namesOf(expiredBackups(backups(all), { daily: 2, weekly: 3 }))).toEqual([
      '2026-11-10T03:00Z', '2026-11-17T03:00Z', '2026-11-22T03:00Z', '2026-11-23T03:00Z',
    ]); // prettier-ignore
  });

  it('counts days and weeks that have a backup', () => {
    const all = ['2026-01-05T03:00Z', '2026-06-01T03:00Z', '2026-11-23T03:00Z'];
    expect(expiredBackups(backups(all), { daily: 3, weekly: 0 })).toEqual([]);
  });

  it('keeps the newest, and all that were made on request', () => {
    const all = ['2026-11-22T03:00Z', '2026-11-23T03:00Z'];
    const none = { daily: 0, weekly: 0 };
    expect(namesOf(expiredBackups(backups(all), none))).toEqual(['2026-11-22T03:00Z']);
    expect(expiredBackups(backups(all, false), none)).toEqual([]);
  });
});
