import { describe, expect, it } from 'vitest';
import { compileDateFormat, DEFAULT_DATE_FORMAT } from './compileDateFormat.js';
import { createDateRounding } from './createDateRounding.js';
import { parseDateMath } from './parseDateMath.js';
import { createTimeZone, isTimeZone } from './timeZone.js';

const compile = (text: string) => compileDateFormat(text, (message) => new Error(message));
const usual = compile(DEFAULT_DATE_FORMAT);
const iso = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString());

describe('date formats', () => {
  it.each([
    ['2024', '2024-01-01T00:00:00.000Z'],
    ['2024-02', '2024-02-01T00:00:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['2024-02-10T08', '2024-02-10T08:00:00.000Z'],
    ['2024-02-10T08:30Z', '2024-02-10T08:30:00.000Z'],
    ['2024-02-10T08:30:15.123456789+01:00', '2024-02-10T07:30:15.123Z'],
    ['2024-02-10T08:30:15,5-0530', '2024-02-10T14:00:15.500Z'],
    ['1700000000000', '2023-11-14T22:13:20.000Z'],
    ['-1', '1969-12-31T23:59:59.999Z'],
    ['0099-12-31', '0099-12-31T00:00:00.000Z'],
  ])('reads %s by default', (text, expected) => {
    expect(iso(usual.parse(text))).toBe(expected);
  });

  it.each([
    'soon',
    '',
    '2023-02-29',
    '2024-13-01',
    '2024-1-1',
    '2024-01-01T25',
    '2024-01-01 10:00',
    '2024-01-01T10:00X',
    '2024-01-01T10:00:00.',
    '99999999999999999999',
  ])('refuses %j by default', (text) => {
    expect(usual.parse(text)).toBeUndefined();
  });

  it.each([
    ['dd/MM/yyyy', '28/02/2024', '2024-02-28T00:00:00.000Z'],
    ['yyyy-MM-dd HH:mm:ss', '2024-02-28 10:11:12', '2024-02-28T10:11:12.000Z'],
    ['basic_date', '20240228', '2024-02-28T00:00:00.000Z'],
    ['week_date', '2024-W09-3', '2024-02-28T00:00:00.000Z'],
    ['ordinal_date', '2024-060', '2024-02-29T00:00:00.000Z'],
    ['epoch_second', '1700000000', '2023-11-14T22:13:20.000Z'],
    ['d MMM yyyy', '3 Feb 2024', '2024-02-03T00:00:00.000Z'],
    ['hh:mm a', '12:15 AM', '1970-01-01T00:15:00.000Z'],
    ['yyyy||dd.MM.yyyy', '03.02.2024', '2024-02-03T00:00:00.000Z'],
    ["yyyy-MM-dd'T'HH:mm:ssXXX", '2024-02-03T10:00:00+02:00', '2024-02-03T08:00:00.000Z'],
    ['date', '2024-2-3', '2024-02-03T00:00:00.000Z'],
    ['strict_hour_minute_second_fraction', '10:11:12.1234567', '1970-01-01T10:11:12.123Z'],
    ['basic_week_date_time_no_millis', '2024W093T101112Z', '2024-02-28T10:11:12.000Z'],
  ])('%s reads %s', (format, text, expected) => {
    expect(iso(compile(format).parse(text))).toBe(expected);
  });

  it('refuses unpadded numbers in strict formats, dates that do not exist, and unknown patterns', () => {
    expect(compile('strict_date').parse('2024-2-3')).toBeUndefined();
    expect(compile('dd/MM/yyyy').parse('31/02/2024')).toBeUndefined();
    expect(compile('week_date').parse('2024-W53-1')).toBeUndefined();
    for (const text of ['jjjj', 'yyyy QQ', 'kk:mm', 'strict_nope', "yyyy'", '[yyyy', '', 'x'.repeat(500)])
      expect(() => compile(text)).toThrow(Error);
  });

  it('refuses the signs that Java keeps for later, and takes basic_date in UTC in range queries but for rounding up', () => {
    expect(() => compile('#,##0.0')).toThrow(/Unknown date format/);
    const timeZone = '-05:00';
    const basic = compile('basic_date');
    const parse = (more: object) => iso(basic.parse('20230113', { timeZone, ...more }));
    expect(parse({})).toBe('2023-01-13T05:00:00.000Z');
    expect(parse({ isRangeQuery: true })).toBe('2023-01-13T00:00:00.000Z');
    expect(parse({ isRangeQuery: true, roundUp: true })).toBe('2023-01-14T04:59:59.999Z');
  });

  it('counts from 1970 in the zone of a range query', () => {
    const seconds = compile('epoch_second');
    const inRange = { timeZone: '+01:00', isRangeQuery: true };
    expect(seconds.parse('1674304895', inRange)).toBe(1_674_301_295_000);
    expect(seconds.parse('1674304895', { timeZone: '+01:00' })).toBe(1_674_304_895_000);
    const math = { format: seconds, nowMs: 0, ...inRange };
    expect(parseDateMath('1674304895||+1H', math)).toBe(1_674_304_895_000);
    const end = parseDateMath('1674304895||-1m-13H/d', { ...math, roundUp: true });
    expect(end).toBe(1_674_255_599_999);
  });

  it('writes parts of seconds where there are any', () => {
    const seconds = compile('epoch_second');
    expect([3, 1_673_820_227_500, 2_000].map((ms) => seconds.format(ms))).toEqual(['0.003', '1673820227.5', '2']);
  });

  it('writes in UTC or a zone', () => {
    const ms = Date.parse('2023-12-31T23:00:00Z');
    expect(usual.format(ms)).toBe('2023-12-31T23:00:00.000Z');
    expect(usual.format(ms, '+01:00')).toBe('2024-01-01T00:00:00.000+01:00');
    expect(usual.format(ms, 'Europe/Paris')).toBe('2024-01-01T00:00:00.000+01:00');
    expect(compile('yyyy-MM').format(ms, 'Europe/Paris')).toBe('2024-01');
    expect(compile('EEE d MMMM yy, h:mm a').format(ms)).toBe('Sun 31 December 23, 11:00 PM');
  });

  it('knows offsets and names of zones', () => {
    for (const zone of ['Z', 'UTC', '+01:00', '-0530', '+5', 'Europe/Paris', 'America/Argentina/Buenos_Aires'])
      expect(isTimeZone(zone)).toBe(true);
    for (const zone of ['', 'Mars/Base', '+25:00', '01:00', '__proto__']) expect(isTimeZone(zone)).toBe(false);
  });
});

describe('date math (SEARCH-24)', () => {
  const nowMs = Date.parse('2024-05-15T12:34:56.789Z');
  it.each<[string, { roundUp?: boolean; timeZone?: string }, string | undefined]>([
    ['now', {}, '2024-05-15T12:34:56.789Z'],
    ['now/d', {}, '2024-05-15T00:00:00.000Z'],
    ['now/d', { roundUp: true }, '2024-05-15T23:59:59.999Z'],
    ['now-1M/M', {}, '2024-04-01T00:00:00.000Z'],
    ['now/w', {}, '2024-05-13T00:00:00.000Z'],
    ['now+1y-1d/h', {}, '2025-05-14T12:00:00.000Z'],
    ['now/d', { timeZone: 'America/New_York' }, '2024-05-15T04:00:00.000Z'],
    ['now', { timeZone: '+05:00' }, '2024-05-15T12:34:56.789Z'],
    ['2024-01-31||+1M', {}, '2024-02-29T00:00:00.000Z'],
    ['2024-02-28||/M', { roundUp: true }, '2024-02-29T23:59:59.999Z'],
    ['2024-02-28', { roundUp: true }, '2024-02-28T23:59:59.999Z'],
    ['2024-01-01', { timeZone: '+01:00' }, '2023-12-31T23:00:00.000Z'],
    ['2024-03-30T12:00||+1d', { timeZone: 'Europe/Paris' }, '2024-03-31T10:00:00.000Z'],
    ['now-d', {}, '2024-05-14T12:34:56.789Z'],
    ['now/2d', {}, undefined],
    ['now+1x', {}, undefined],
    ['nowhere', {}, undefined],
    ['2024-01-01||1d', {}, undefined],
    ['now+999999999y', {}, undefined],
  ])('%s %j is %s', (text, options, expected) => {
    expect(iso(parseDateMath(text, { format: usual, nowMs, ...options }))).toBe(expected);
  });
});

describe('buckets of dates', () => {
  const edges = (rounding: ReturnType<typeof createDateRounding>, from: string, count: number) => {
    const starts = [rounding.round(Date.parse(from))];
    while (starts.length < count) starts.push(rounding.next(starts.at(-1) ?? 0));
    return starts.map(iso);
  };

  it('makes days of 23 and 25 hours where the clock changes', () => {
    const days = createDateRounding({
      interval: { kind: 'calendar', unit: 'day' },
      timeZone: 'Europe/Paris',
    });
    expect(edges(days, '2024-03-31T10:00:00Z', 2)).toEqual(['2024-03-30T23:00:00.000Z', '2024-03-31T22:00:00.000Z']);
    expect(edges(days, '2024-10-27T10:00:00Z', 2)).toEqual(['2024-10-26T22:00:00.000Z', '2024-10-27T23:00:00.000Z']);
  });

  it('gives the repeated hour two buckets', () => {
    const hours = createDateRounding({
      interval: { kind: 'calendar', unit: 'hour' },
      timeZone: 'Europe/Paris',
    });
    expect(edges(hours, '2024-10-27T00:30:00Z', 3)).toEqual([
      '2024-10-27T00:00:00.000Z',
      '2024-10-27T01:00:00.000Z',
      '2024-10-27T02:00:00.000Z',
    ]);
  });

  it('begins a day at one where midnight does not exist', () => {
    const days = createDateRounding({
      interval: { kind: 'calendar', unit: 'day' },
      timeZone: 'America/Sao_Paulo',
    });
    expect(edges(days, '2018-11-04T12:00:00Z', 2)).toEqual(['2018-11-04T03:00:00.000Z', '2018-11-05T02:00:00.000Z']);
  });

  it('rounds to weeks, months, quarters and years, with an offset', () => {
    const starts = (unit: 'week' | 'month' | 'quarter' | 'year', offsetMs = 0) =>
      edges(createDateRounding({ interval: { kind: 'calendar', unit }, offsetMs }), '2024-05-15T12:00:00Z', 2);
    expect(starts('week')).toEqual(['2024-05-13T00:00:00.000Z', '2024-05-20T00:00:00.000Z']);
    expect(starts('month')).toEqual(['2024-05-01T00:00:00.000Z', '2024-06-01T00:00:00.000Z']);
    expect(starts('quarter')).toEqual(['2024-04-01T00:00:00.000Z', '2024-07-01T00:00:00.000Z']);
    expect(starts('year', 3_600_000)).toEqual(['2024-01-01T01:00:00.000Z', '2025-01-01T01:00:00.000Z']);
  });

  it('advances and covers every instant through a whole year of any zone', () => {
    for (const timeZone of ['Europe/Paris', 'America/Sao_Paulo', 'Australia/Lord_Howe', '+05:30']) {
      for (const interval of [
        { kind: 'calendar', unit: 'day' },
        { kind: 'calendar', unit: 'hour' },
        { kind: 'fixed', ms: 43_200_000 },
        { kind: 'fixed', ms: 5_400_000 },
      ] as const) {
        const rounding = createDateRounding({ interval, timeZone });
        let start = rounding.round(Date.parse('2018-01-01T00:00:00Z'));
        const end = Date.parse('2019-01-01T00:00:00Z');
        while (start < end) {
          const next = rounding.next(start);
          expect(next).toBeGreaterThan(start);
          expect(rounding.round(start)).toBe(start);
          expect(rounding.round(next - 1)).toBe(start);
          start = next;
        }
      }
    }
  });

  it('agrees with Intl on offsets around changes', () => {
    const zone = createTimeZone('Europe/Paris');
    expect(zone?.offsetAt(Date.parse('2024-03-31T00:59:59Z'))).toBe(3_600_000);
    expect(zone?.offsetAt(Date.parse('2024-03-31T01:00:00Z'))).toBe(7_200_000);
  });
});
