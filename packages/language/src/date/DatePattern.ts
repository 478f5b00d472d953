/*
 * A date pattern (`dd/MM/yyyy HH:mm`), compiled once to a regular expression for parsing (only digit runs of fixed or
 * bounded length and words, so backtracking is bounded) and to a list of writers.
 */
import { civilFromDays, daysFromCivil, daysInMonth, isLeapYear, isoWeekday, MS_PER_DAY } from './civil.js';
import { createTimeZone, parseOffset, UTC, type TimeZone } from './timeZone.js';

const MONTHS = [
  'January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October',
  'November', 'December',
] as const; // prettier-ignore
const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;
const MAX_PATTERN_LENGTH = 100;
const OFFSET_SOURCE = '[+-]\\d{2}(?::?\\d{2})?';

/** The parts of a local time, for formatting. */
interface LocalTime {
  readonly days: number;
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly ms: number;
  readonly offsetMs: number;
  readonly zoneName: string;
}

interface Piece {
  /** Source of the regular expression that parses it. */
  readonly source: string;
  /** Meaning of the capture; undefined for literals. */
  readonly part?: Part;
  readonly write: (time: LocalTime) => string;
}

type Part =
  | 'year'
  | 'shortYear'
  | 'month'
  | 'monthName'
  | 'day'
  | 'dayOfYear'
  | 'hour'
  | 'hour12'
  | 'minute'
  | 'second'
  | 'fraction'
  | 'halfDay'
  | 'offset'
  | 'zone'
  | 'weekYear'
  | 'week'
  | 'weekday'
  | 'ignored';

export class DatePattern {
  private readonly expression: RegExp;
  private readonly parts: readonly Part[];

  private constructor(
    private readonly pieces: readonly Piece[],
    source: string,
  ) {
    this.expression = new RegExp(`^${source}$`, 'i');
    this.parts = pieces.flatMap(({ part }) => (part === undefined ? [] : [part]));
  }

  /**
   * @param isStrict numbers must have the full width of their letters
   * @param hasAnyFraction fractions have 1 to 9 digits even so
   * @returns undefined if the pattern has an unknown letter, an open quote or an open bracket
   */
  static compile(pattern: string, isStrict = true, hasAnyFraction = false): DatePattern | undefined {
    if (pattern.length === 0 || pattern.length > MAX_PATTERN_LENGTH) return undefined;
    const pieces: Piece[] = [];
    let source = '';
    let depth = 0;
    for (const token of pattern.match(/'(?:[^']|'')*'|([A-Za-z])\1*|[^A-Za-z]/g) ?? []) {
      if (token === '[') source += '(?:';
      else if (token === ']') source += ')?';
      depth += token === '[' ? 1 : token === ']' ? -1 : 0;
      if (depth < 0) return undefined;
      if (token === '[' || token === ']') continue;
      const piece = /^[A-Za-z]/.test(token) ? letterPiece(token, isStrict, hasAnyFraction) : literalPiece(token);
      if (piece === undefined) return undefined;
      pieces.push(piece);
      source += piece.source;
    }
    return depth === 0 ? new DatePattern(pieces, source) : undefined;
  }

  /** Milliseconds of UTC, or NaN. */
  parse(text: string, zone: TimeZone | undefined, roundUp: boolean): number {
    const match = this.expression.exec(text);
    if (match === null) return Number.NaN;
    const found = new Map<Part, string>();
    this.parts.forEach((part, position) => {
      const value = match[position + 1];
      if (value !== undefined) found.set(part, value);
    });
    return toMs(found, zone, roundUp);
  }

  format(ms: number, zone: TimeZone): string {
    const offsetMs = zone.offsetAt(ms);
    const local = ms + offsetMs;
    const days = Math.floor(local / MS_PER_DAY);
    const ofDay = local - days * MS_PER_DAY;
    const time: LocalTime = {
      days,
      ...civilFromDays(days),
      hour: Math.floor(ofDay / 3_600_000),
      minute: Math.floor(ofDay / 60_000) % 60,
      second: Math.floor(ofDay / 1000) % 60,
      ms: ofDay % 1000,
      offsetMs,
      zoneName: zone.name,
    };
    return this.pieces.map((piece) => piece.write(time)).join('');
  }
}

function literalPiece(token: string): Piece | undefined {
  // Java reserves some signs.
  if (/^['#{}]$/.test(token)) return undefined;
  const text = token.startsWith("'") ? (token === "''" ? "'" : token.slice(1, -1).replaceAll("''", "'")) : token;
  return { source: text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'), write: () => text };
}

const pad = (value: number, width: number): string =>
  value < 0 ? `-${String(-value).padStart(width, '0')}` : String(value).padStart(width, '0');

function numberPiece(
  part: Part,
  width: number,
  isStrict: boolean,
  read: (time: LocalTime) => number,
  maxWidth = 2,
): Piece {
  const source = width === 1 || !isStrict ? `(\\d{1,${maxWidth}})` : `(\\d{${width}})`;
  return { source, part, write: (time) => pad(read(time), width) };
}

function letterPiece(token: string, isStrict: boolean, hasAnyFraction: boolean): Piece | undefined {
  const width = token.length;
  const number = (part: Part, read: (time: LocalTime) => number, maxWidth = 2): Piece =>
    numberPiece(part, width, isStrict, read, maxWidth);
  switch (token[0]) {
    case 'y':
    case 'u':
      return yearPiece(width, isStrict);
    case 'Y':
      return {
        source: isStrict ? '(\\d{4})' : '(\\d{1,4})',
        part: 'weekYear',
        write: (time) => pad(isoWeek(time.days).year, 4),
      };
    case 'M':
      return width >= 3 ? monthNamePiece(width) : number('month', (time) => time.month);
    case 'd':
      return number('day', (time) => time.day);
    case 'D':
      return number('dayOfYear', (time) => time.days - daysFromCivil(time.year, 1, 1) + 1, 3);
    case 'H':
      return number('hour', (time) => time.hour);
    case 'h':
      return number('hour12', (time) => time.hour % 12 || 12);
    case 'm':
      return number('minute', (time) => time.minute);
    case 's':
      return number('second', (time) => time.second);
    case 'S':
      return {
        source: isStrict && !hasAnyFraction ? `(\\d{${width}})` : '(\\d{1,9})',
        part: 'fraction',
        write: (time) => pad(time.ms, 3).padEnd(width, '0').slice(0, width),
      };
    case 'a':
      return {
        source: '(AM|PM)',
        part: 'halfDay',
        write: (time) => (time.hour < 12 ? 'AM' : 'PM'),
      };
    case 'E':
      return weekdayNamePiece(width);
    case 'e':
      return number('weekday', (time) => isoWeekday(time.days), 1);
    case 'w':
      return number('week', (time) => isoWeek(time.days).week);
    default:
      return zonePiece(token);
  }
}

function yearPiece(width: number, isStrict: boolean): Piece {
  if (width === 2) {
    return { source: '(\\d{2})', part: 'shortYear', write: (time) => pad(time.year % 100, 2) };
  }
  // A year takes at most four digits if digits follow without a separator (yyyyMMdd).
  const source = width >= 4 && isStrict ? '([+-]?\\d{4})' : '([+-]?\\d{1,4})';
  return {
    source,
    part: 'year',
    write: (time) => (time.year > 9999 ? '+' : '') + pad(time.year, width),
  };
}

function monthNamePiece(width: number): Piece {
  const names = MONTHS.map((name) => (width === 3 ? name.slice(0, 3) : name));
  return {
    source: `(${names.join('|')})`,
    part: 'monthName',
    write: (time) => names[time.month - 1] ?? '',
  };
}

function weekdayNamePiece(width: number): Piece {
  const names = DAYS.map((name) => (width <= 3 ? name.slice(0, 3) : name));
  return {
    source: `(${names.join('|')})`,
    part: 'ignored',
    write: (time) => names[isoWeekday(time.days) - 1] ?? '',
  };
}

function zonePiece(token: string): Piece | undefined {
  const width = token.length;
  switch (token[0]) {
    case 'X':
      return {
        source: `(Z|${OFFSET_SOURCE})`,
        part: 'offset',
        write: (time) => (time.offsetMs === 0 ? 'Z' : writeOffset(time.offsetMs, width)),
      };
    case 'x':
      return { source: `(${OFFSET_SOURCE})`, part: 'offset', write: (time) => writeOffset(time.offsetMs, width) };
    case 'Z':
      return {
        source: `(Z|${OFFSET_SOURCE})`,
        part: 'offset',
        write: (time) =>
          width === 2 && time.offsetMs === 0 ? 'Z' : writeOffset(time.offsetMs, width === 1 || width === 3 ? 2 : 3),
      };
    case 'z':
      return { source: '([A-Za-z][\\w+/-]{0,40}|[+-]\\d{2}:?\\d{2})', part: 'zone', write: (time) => time.zoneName };
    default:
      return undefined;
  }
}

function writeOffset(offsetMs: number, width: number): string {
  const minutes = Math.abs(offsetMs) / 60_000;
  const hour = pad(Math.floor(minutes / 60), 2);
  const minute = pad(Math.floor(minutes % 60), 2);
  const sign = offsetMs < 0 ? '-' : '+';
  if (width === 1) return minute === '00' ? `${sign}${hour}` : `${sign}${hour}${minute}`;
  return width === 2 ? `${sign}${hour}${minute}` : `${sign}${hour}:${minute}`;
}

function isoWeek(days: number): { readonly year: number; readonly week: number } {
  const thursday = days - isoWeekday(days) + 4;
  const { year } = civilFromDays(thursday);
  return { year, week: Math.floor((thursday - daysFromCivil(year, 1, 1)) / 7) + 1 };
}

function toMs(found: ReadonlyMap<Part, string>, zone: TimeZone | undefined, roundUp: boolean): number {
  const days = readDays(found);
  const hour = readHour(found) ?? (roundUp ? 23 : 0);
  const minute = numberOf(found, 'minute') ?? (roundUp ? 59 : 0);
  const second = numberOf(found, 'second') ?? (roundUp ? 59 : 0);
  const digits = found.get('fraction');
  const ms = digits === undefined ? (roundUp ? 999 : 0) : Number(digits.padEnd(3, '0').slice(0, 3));
  if (hour > 23 || minute > 59 || second > 59) return Number.NaN;
  const local = days * MS_PER_DAY + ((hour * 60 + minute) * 60 + second) * 1000 + ms;
  const offset = found.get('offset');
  if (offset !== undefined) return local - (parseOffset(offset.toUpperCase()) ?? Number.NaN);
  const zoneName = found.get('zone');
  if (zoneName !== undefined) return createTimeZone(zoneName)?.toUtc(local) ?? Number.NaN;
  return (zone ?? UTC).toUtc(local);
}

function numberOf(found: ReadonlyMap<Part, string>, part: Part): number | undefined {
  const text = found.get(part);
  return text === undefined ? undefined : Number(text);
}

/** Days since 1970-01-01, or NaN for a date that doesn't exist. */
function readDays(found: ReadonlyMap<Part, string>): number {
  const weekYear = numberOf(found, 'weekYear');
  if (weekYear !== undefined) {
    const week = numberOf(found, 'week') ?? 1;
    const weekday = numberOf(found, 'weekday') ?? 1;
    if (week < 1 || weekday < 1 || weekday > 7) return Number.NaN;
    const january4 = daysFromCivil(weekYear, 1, 4);
    const days = january4 - isoWeekday(january4) + (week - 1) * 7 + weekday;
    return isoWeek(days).year === weekYear ? days : Number.NaN;
  }
  const shortYear = numberOf(found, 'shortYear');
  const year = numberOf(found, 'year') ?? (shortYear === undefined ? 1970 : 2000 + shortYear);
  const dayOfYear = numberOf(found, 'dayOfYear');
  if (dayOfYear !== undefined) {
    const isValid = dayOfYear >= 1 && dayOfYear <= (isLeapYear(year) ? 366 : 365);
    return isValid ? daysFromCivil(year, 1, 1) + dayOfYear - 1 : Number.NaN;
  }
  const name = found.get('monthName')?.slice(0, 3).toLowerCase();
  const named = MONTHS.findIndex((month) => month.slice(0, 3).toLowerCase() === name);
  const month = name === undefined ? (numberOf(found, 'month') ?? 1) : named + 1;
  const day = numberOf(found, 'day') ?? 1;
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return Number.NaN;
  return daysFromCivil(year, month, day);
}

function readHour(found: ReadonlyMap<Part, string>): number | undefined {
  const half = found.get('halfDay')?.toLowerCase();
  const hour12 = numberOf(found, 'hour12');
  if (hour12 !== undefined) {
    if (hour12 > 12) return Number.NaN;
    return (hour12 % 12) + (half === 'pm' ? 12 : 0);
  }
  return numberOf(found, 'hour');
}
