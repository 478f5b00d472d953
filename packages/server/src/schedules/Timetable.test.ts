import { describe, expect, it } from 'vitest';
import { Timetable } from './Timetable.js';

const at = (text: string) => Date.parse(text);

describe('Timetable', () => {
  it.each([
    [60_000, 60_000],
    ['30s', 30_000],
    ['10m', 600_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
  ])('every %s is counted from the start of the last run', (every, ms) => {
    const table = new Timetable({ every });
    expect(table.nextMs(5, 1_000_000)).toBe(5 + ms);
    expect(table.countedFromMs(7, 9)).toBe(7);
  });

  it('a cron pattern is read in UTC, or in its time zone', () => {
    const winter = at('2026-01-15T00:00:00Z');
    expect(new Timetable({ cron: '30 4 * * *' }).nextMs(winter, 0)).toBe(at('2026-01-15T04:30:00Z'));
    const paris = new Timetable({ cron: '30 4 * * *', timeZone: 'Europe/Paris' });
    expect(paris.nextMs(winter, 0)).toBe(at('2026-01-15T03:30:00Z'));
    expect(paris.nextMs(at('2026-07-15T00:00:00Z'), 0)).toBe(at('2026-07-15T02:30:00Z'));
    expect(new Timetable({ cron: '*/10 * * * * *' }).nextMs(winter, 0)).toBe(winter + 10_000);
  });

  it('a cron pattern leaves out what was due before the start, and during a run', () => {
    const table = new Timetable({ cron: '0 * * * *' });
    const started = at('2026-01-15T10:20:00Z');
    expect(table.nextMs(at('2026-01-15T02:00:00Z'), started)).toBe(at('2026-01-15T11:00:00Z'));
    expect(table.countedFromMs(1, 9)).toBe(9);
  });

  it.each([
    [{ every: 10 }, /"every" must be milliseconds \(at least 1000\)/],
    [{ every: 'often' }, /got "often"/],
    [{ every: NaN }, /"every" must be/],
    [{ cron: '61 * * * *' }, /"cron" "61 \* \* \* \*" \(UTC\) can't be read/],
    [{ cron: 'daily please' }, /can't be read/],
    [{ cron: '0 4 * * *', timeZone: 'Mars/Base' }, /Mars\/Base/],
  ])('%j is refused', (time, reason) => {
    expect(() => new Timetable(time)).toThrow(reason);
  });
});
