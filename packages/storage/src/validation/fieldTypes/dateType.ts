import type { JsonValue } from '@millrace/kernel';
import { DATE_PATTERNS, EPOCH_FORMATS } from './dateFormats.js';
import type { OptionReader } from './OptionReader.js';
import { toInstant } from './toInstant.js';
import type { FieldType } from './FieldType.js';

const MAX_TEXT_LENGTH = 64;
const EPOCH_TEXT = /^-?\d{1,16}$/;
const MAX_DATE_MS = 8.64e15;
const ABSOLUTE = DATE_PATTERNS.get('strict_date_optional_time') ?? [];
const TIME_OF_DAY = [
  /^T(?<hour>\d{2}):(?<minute>\d{2}):(?<second>\d{2})(?:\.(?<fraction>\d{1,9}))?$/,
];

type Bound = (nowMs: number) => number;

/** Dates in named formats, within a range that may be relative to the current time. */
export function dateType(options: OptionReader): FieldType {
  const formats = options.texts('formats', isFormat, 'names of date formats') ?? ['epoch_millis'];
  const range = options.object('range', ['min', 'max']);
  const min = readBound(options, 'min', range?.min);
  const max = readBound(options, 'max', range?.max);
  const isMoving = [range?.min, range?.max].some((bound) => isRelative(bound));
  if (min && max && !isMoving && min(0) > max(0)) options.fault('range: min is above max');
  return {
    check: (value, nowMs) => {
      const instant = readDate(value, formats, nowMs);
      if (instant === undefined) return 'Not a valid date.';
      if (min && instant < min(nowMs))
        return `Value is below the minimum ${showBound(range?.min)}.`;
      if (max && instant > max(nowMs))
        return `Value is above the maximum ${showBound(range?.max)}.`;
      return undefined;
    },
  };
}

function isFormat(name: string): boolean {
  return DATE_PATTERNS.has(name) || EPOCH_FORMATS.has(name);
}

function showBound(bound: JsonValue | undefined): string {
  return typeof bound === 'string' ? bound : '';
}

function isRelative(bound: JsonValue | undefined): boolean {
  return typeof bound === 'string' && (bound === 'NOW' || bound.startsWith('T'));
}

function readDate(value: JsonValue, formats: readonly string[], nowMs: number): number | undefined {
  for (const format of formats) {
    const unitMs = EPOCH_FORMATS.get(format);
    const instant =
      unitMs === undefined
        ? readPatterns(value, DATE_PATTERNS.get(format) ?? [], nowMs)
        : readEpoch(value, unitMs);
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

function readPatterns(
  value: JsonValue | undefined,
  patterns: readonly RegExp[],
  nowMs: number,
): number | undefined {
  if (typeof value !== 'string' || value.length > MAX_TEXT_LENGTH) return undefined;
  for (const pattern of patterns) {
    const groups = pattern.exec(value)?.groups;
    const instant = groups && toInstant(groups, nowMs);
    if (instant !== undefined) return instant;
  }
  return undefined;
}

function readBound(
  options: OptionReader,
  name: string,
  given: JsonValue | undefined,
): Bound | undefined {
  if (given === undefined) return undefined;
  if (given === 'NOW') return (nowMs) => nowMs;
  if (readPatterns(given, TIME_OF_DAY, 0) !== undefined) {
    return (nowMs) => readPatterns(given, TIME_OF_DAY, nowMs) ?? nowMs;
  }
  const instant = readPatterns(given, ABSOLUTE, 0);
  if (instant !== undefined) return () => instant;
  options.fault(`range.${name} must be an ISO 8601 date, a time such as T14:12:44, or "NOW"`);
  return undefined;
}
