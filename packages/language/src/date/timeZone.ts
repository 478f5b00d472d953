/*
 * Offsets of IANA zones come from `Intl`, about 2 µs a call: too slow for a histogram over a million documents. So a
 * zone caches the offset of each UTC day whose two ends agree, and of each quarter of an hour on other days (offsets
 * change on quarters). Two opposite changes within one day would be missed; no zone has any.
 */
import { MS_PER_DAY } from './civil.js';

const QUARTER_MS = 900_000;
const MAX_REMEMBERED = 50_000;
const OFFSET = /^(?:UTC|GMT|UT)?([+-])(\d{1,2})(?::?(\d{2}))?(?::?(\d{2}))?$/;

/** The rules of one time zone. */
export interface TimeZone {
  readonly name: string;
  /** Undefined: varies. */
  readonly fixedOffsetMs: number | undefined;
  /** Local time minus UTC at an instant, in milliseconds. */
  offsetAt(utcMs: number): number;
  /**
   * The instant of a local time; the earlier one if there are two; in a gap, the instant as if the clock had not
   * changed.
   */
  toUtc(localMs: number): number;
}

/** Whether the string names a time zone: an offset (`+01:00`, `Z`) or an IANA name (`Europe/Paris`). */
export function isTimeZone(text: string): boolean {
  return createTimeZone(text) !== undefined;
}

/** The zone of an offset or IANA name, or undefined. Reuse it: creation is slow, and it caches offsets. */
export function createTimeZone(text: string): TimeZone | undefined {
  const offsetMs = parseOffset(text);
  if (offsetMs !== undefined) return fixedZone(text, offsetMs);
  if (!/^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/.test(text) || text.length > 64) return undefined;
  try {
    return new IanaZone(
      text,
      new Intl.DateTimeFormat('en-US', {
        timeZone: text,
        hourCycle: 'h23',
        year: 'numeric',
        month: 'numeric',
        day: 'numeric',
        hour: 'numeric',
        minute: 'numeric',
        second: 'numeric',
      }),
    );
  } catch {
    return undefined; // RangeError: no such zone
  }
}

export const UTC: TimeZone = fixedZone('UTC', 0);

function fixedZone(name: string, offsetMs: number): TimeZone {
  return {
    name,
    fixedOffsetMs: offsetMs,
    offsetAt: () => offsetMs,
    toUtc: (localMs) => localMs - offsetMs,
  };
}

/** `Z`, `UTC`, `+01`, `+0100`, `+01:00` in milliseconds; at most 18 hours. */
export function parseOffset(text: string): number | undefined {
  if (text === 'Z' || text === 'z' || text === 'UTC' || text === 'GMT' || text === 'UT') return 0;
  const match = OFFSET.exec(text);
  if (match === null) return undefined;
  const [hours, minutes, seconds] = [Number(match[2]), Number(match[3] ?? 0), Number(match[4] ?? 0)];
  const total = ((hours * 60 + minutes) * 60 + seconds) * 1000;
  if (minutes > 59 || seconds > 59 || total > 18 * 3_600_000) return undefined;
  return match[1] === '-' ? 0 - total : total;
}

class IanaZone implements TimeZone {
  readonly fixedOffsetMs = undefined;
  /** Offset of a day, or NaN if it changes within the day. */
  private readonly byDay = new Map<number, number>();
  private readonly byQuarter = new Map<number, number>();

  constructor(
    readonly name: string,
    private readonly formatter: Intl.DateTimeFormat,
  ) {}

  offsetAt(utcMs: number): number {
    const day = Math.floor(utcMs / MS_PER_DAY);
    const known = this.byDay.get(day);
    if (known !== undefined && known === known) return known;
    if (known === undefined) {
      const start = this.computeOffset(day * MS_PER_DAY);
      const isSteady = start === this.computeOffset((day + 1) * MS_PER_DAY);
      if (this.byDay.size >= MAX_REMEMBERED) this.byDay.clear();
      this.byDay.set(day, isSteady ? start : Number.NaN);
      if (isSteady) return start;
    }
    const quarter = Math.floor(utcMs / QUARTER_MS);
    let offset = this.byQuarter.get(quarter);
    if (offset === undefined) {
      offset = this.computeOffset(quarter * QUARTER_MS);
      if (this.byQuarter.size >= MAX_REMEMBERED) this.byQuarter.clear();
      this.byQuarter.set(quarter, offset);
    }
    return offset;
  }

  toUtc(localMs: number): number {
    const before = this.offsetAt(localMs - MS_PER_DAY);
    const after = this.offsetAt(localMs + MS_PER_DAY);
    const early = localMs - Math.max(before, after);
    if (this.offsetAt(early) === localMs - early) return early;
    const late = localMs - Math.min(before, after);
    if (this.offsetAt(late) === localMs - late) return late;
    return localMs - before;
  }

  private computeOffset(utcMs: number): number {
    if (Math.abs(utcMs) > 8.64e15) return 0;
    const parts: Record<string, number> = {};
    let isBeforeChrist = false;
    for (const { type, value } of this.formatter.formatToParts(utcMs)) {
      if (type === 'era') isBeforeChrist = value.startsWith('B');
      else if (type !== 'literal') parts[type] = Number(value);
    }
    const { year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    const local = new Date(0);
    local.setUTCFullYear(isBeforeChrist ? 1 - year : year, month - 1, day);
    local.setUTCHours(hour, minute, second);
    return local.getTime() - Math.floor(utcMs / 1000) * 1000;
  }
}
