import type { JsonValue } from '@millrace/kernel';
import { compileDateFormat, NAMED_DATE_FORMATS } from '@millrace/language';
import type { FieldType, OptionReader } from './OptionReader.js';

const MS_PER_DAY = 86_400_000;
const MAX_DATE_MS = 8.64e15;
const EPOCH_TEXT = /^-?\d{1,16}$/;
/** Milliseconds per unit of the numeric formats. */
const EPOCH_FORMATS: ReadonlyMap<string, number> = new Map([
  ['epoch_millis', 1],
  ['epoch_second', 1_000],
]);
/** Formats that also have an older notation without dashes. */
const UNDASHED: ReadonlyMap<string, string> = new Map([
  ['year_month', 'yyyyMM'],
  ['year_month_day', 'yyyyMMdd'],
  ['weekyear_week', "YYYY'W'ww"],
  ['weekyear_week_day', "YYYY'W'wwe"],
]);
/** Formats without a date: of the current day. */
const TIME_FORMAT = /^(?:hour|(?:basic_)?(?:t_)?time)/;
/** What the formats of searches read, but VALID-22 doesn't name: signs of years, lower case, zones of hours alone. */
const UNNAMED = /^[+-]|[a-z]|(?:[T:]\d|^\d{6}).*[+-]\d{2}$/;
const TIME_OF_DAY = /^T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?$/;

/** The instant of a value, or undefined for another one. */
type DateReader = (value: JsonValue, nowMs: number) => number | undefined;
type Bound = (nowMs: number) => number;

const readIsoDate = textReader('strict_date_optional_time');

/** Dates in named formats (VALID-22), within a range that may be relative to the current time. */
export function dateType(options: OptionReader): FieldType {
  const formats = options.texts('formats', isFormat, 'names of date formats') ?? ['epoch_millis'];
  const readers = formats.map(readerOf);
  const range = options.object('range', ['min', 'max']);
  const min = readBound(options, 'min', range?.min);
  const max = readBound(options, 'max', range?.max);
  const isMoving = [range?.min, range?.max].some((bound) => isRelative(bound));
  if (min && max && !isMoving && min(0) > max(0)) options.fault('range: min is above max');
  return {
    check: (value, nowMs) => {
      const instant = readDate(value, readers, nowMs);
      if (instant === undefined) return 'Not a valid date.';
      if (min && instant < min(nowMs)) return `Value is below the minimum ${showBound(range?.min)}.`;
      if (max && instant > max(nowMs)) return `Value is above the maximum ${showBound(range?.max)}.`;
      return undefined;
    },
  };
}

function isFormat(name: string): boolean {
  if (EPOCH_FORMATS.has(name) || name === 'strict_date_optional_time') return true;
  const base = withoutStrict(name);
  const canBeStrict = !base.startsWith('basic_') || base.startsWith('basic_week_');
  return NAMED_DATE_FORMATS.has(base) && (base === name || canBeStrict);
}

function withoutStrict(name: string): string {
  return name.replace(/^strict_/, '');
}

function readerOf(name: string): DateReader {
  const unitMs = EPOCH_FORMATS.get(name);
  if (unitMs !== undefined) return (value) => readEpoch(value, unitMs);
  const base = withoutStrict(name);
  const undashed = UNDASHED.get(base);
  const read = textReader(undashed === undefined ? name : `${name}||${undashed}`);
  if (!TIME_FORMAT.test(base)) return read;
  return (value, nowMs) => {
    const time = read(value, nowMs);
    return time === undefined ? undefined : startOfDay(nowMs) + time;
  };
}

function textReader(format: string): DateReader {
  const compiled = compileDateFormat(format, (message) => new Error(message));
  return (value) => (typeof value === 'string' && !UNNAMED.test(value) ? compiled.parse(value) : undefined);
}

function readDate(value: JsonValue, readers: readonly DateReader[], nowMs: number): number | undefined {
  for (const read of readers) {
    const instant = read(value, nowMs);
    if (instant !== undefined) return instant;
  }
  return undefined;
}

function readEpoch(value: JsonValue, unitMs: number): number | undefined {
  const isText = typeof value === 'string' && EPOCH_TEXT.test(value);
  const number = isText ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number)) return undefined;
  const instant = number * unitMs;
  return Math.abs(instant) <= MAX_DATE_MS ? instant : undefined;
}

function startOfDay(nowMs: number): number {
  return Math.floor(nowMs / MS_PER_DAY) * MS_PER_DAY;
}

function showBound(bound: JsonValue | undefined): string {
  return typeof bound === 'string' ? bound : '';
}

function isRelative(bound: JsonValue | undefined): boolean {
  return typeof bound === 'string' && (bound === 'NOW' || bound.startsWith('T'));
}

function readBound(options: OptionReader, name: string, given: JsonValue | undefined): Bound | undefined {
  if (given === undefined) return undefined;
  if (given === 'NOW') return (nowMs) => nowMs;
  const isTime = typeof given === 'string' && TIME_OF_DAY.test(given);
  const instant = readIsoDate(isTime ? `1970-01-01${given}` : given, 0);
  if (instant !== undefined) return isTime ? (nowMs) => startOfDay(nowMs) + instant : () => instant;
  options.fault(`range.${name} must be an ISO 8601 date, a time such as T14:12:44, or "NOW"`);
  return undefined;
}
