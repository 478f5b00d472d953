/*
 * Parses `strict_date_optional_time` by character codes, without regular expressions or objects: this runs for every
 * date of every document. Absent parts: month and day default to 1; the time to 0, or to its last millisecond with
 * `roundUp`.
 */
import { daysFromCivil, daysInMonth, MS_PER_DAY } from './civil.js';
import type { TimeZone } from './timeZone.js';

const DASH = 45;
const COLON = 58;
const DOT = 46;
const COMMA = 44;
const LETTER_T = 84;
const LETTER_Z = 90;
const MINUS = 45;
const PLUS = 43;

/** Two digits at `at`, or -1. */
function two(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48;
  const ones = text.charCodeAt(at + 1) - 48;
  // Comparisons with NaN (past the end) are false, so a missing digit is refused too.
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -1;
}

/**
 * Parses `yyyy[-MM[-dd[THH[:mm[:ss[.fraction]]][offset]]]]`.
 * @returns milliseconds, or NaN for any other string
 */
export function parseOptionalTime(text: string, zone: TimeZone | undefined, roundUp: boolean): number {
  const { length } = text;
  const century = two(text, 0);
  const ofCentury = two(text, 2);
  if (century < 0 || ofCentury < 0) return Number.NaN;
  const year = century * 100 + ofCentury;
  let month = 1;
  let day = 1;
  let at = 4;
  if (at < length) {
    if (text.charCodeAt(at) !== DASH) return Number.NaN;
    month = two(text, at + 1);
    at += 3;
    if (month < 1 || month > 12) return Number.NaN;
    if (at < length) {
      if (text.charCodeAt(at) !== DASH) return Number.NaN;
      day = two(text, at + 1);
      at += 3;
      if (day < 1 || day > daysInMonth(year, month)) return Number.NaN;
    }
  }
  const date = daysFromCivil(year, month, day) * MS_PER_DAY;
  if (at < length && (at !== 10 || text.charCodeAt(at) !== LETTER_T)) return Number.NaN;
  return finishTime(text, at + 1, date, zone, roundUp);
}

function finishTime(text: string, start: number, date: number, zone: TimeZone | undefined, roundUp: boolean): number {
  const { length } = text;
  let at = start;
  let hour = roundUp ? 23 : 0;
  let minute = roundUp ? 59 : 0;
  let second = minute;
  let ms = roundUp ? 999 : 0;
  if (at < length) {
    hour = two(text, at);
    if (hour < 0 || hour > 23) return Number.NaN;
    at += 2;
    if (text.charCodeAt(at) === COLON) {
      minute = two(text, at + 1);
      if (minute < 0 || minute > 59) return Number.NaN;
      at += 3;
      if (text.charCodeAt(at) === COLON) {
        second = two(text, at + 1);
        if (second < 0 || second > 59) return Number.NaN;
        at += 3;
        const mark = text.charCodeAt(at);
        if (mark === DOT || mark === COMMA) {
          const end = endOfDigits(text, at + 1);
          if (end === at + 1 || end > at + 10) return Number.NaN;
          ms = fraction(text, at + 1, end);
          at = end;
        }
      }
    }
  }
  const local = date + ((hour * 60 + minute) * 60 + second) * 1000 + ms;
  if (at < length) return local - offset(text, at);
  return zone === undefined ? local : zone.toUtc(local);
}

function endOfDigits(text: string, start: number): number {
  let end = start;
  while (end < text.length && text.charCodeAt(end) >= 48 && text.charCodeAt(end) <= 57) end += 1;
  return end;
}

/** Milliseconds of the digits after the point; further digits are truncated. */
function fraction(text: string, start: number, end: number): number {
  let ms = 0;
  for (let at = start; at < start + 3; at += 1) {
    ms = ms * 10 + (at < end ? text.charCodeAt(at) - 48 : 0);
  }
  return ms;
}

/** `Z`, `+HH`, `+HHmm` or `+HH:mm` at the end of the string, in milliseconds; NaN for anything else. */
function offset(text: string, at: number): number {
  const sign = text.charCodeAt(at);
  const rest = text.length - at;
  if (sign === LETTER_Z) return rest === 1 ? 0 : Number.NaN;
  if (sign !== PLUS && sign !== MINUS) return Number.NaN;
  const hours = two(text, at + 1);
  const isColon = text.charCodeAt(at + 3) === COLON;
  const minutes = rest === 3 ? 0 : two(text, isColon ? at + 4 : at + 3);
  if (hours < 0 || hours > 18 || minutes < 0 || minutes > 59) return Number.NaN;
  if (rest !== 3 && rest !== (isColon ? 6 : 5)) return Number.NaN;
  const total = (hours * 60 + minutes) * 60_000;
  return sign === MINUS ? -total : total;
}
