/* Rounds and adds calendar units on local milliseconds (as if they were UTC). */
import type { CalendarUnit } from './createDateRounding.js';
import { civilFromDays, daysFromCivil, daysInMonth, isoWeekday, MS_PER_DAY } from './civil.js';

const MS_BY_UNIT = { second: 1000, minute: 60_000, hour: 3_600_000, day: MS_PER_DAY } as const;

/** The start of the unit that contains a local time; weeks begin on Monday. */
export function floorToUnit(localMs: number, unit: CalendarUnit): number {
  switch (unit) {
    case 'second':
    case 'minute':
    case 'hour':
    case 'day':
      return Math.floor(localMs / MS_BY_UNIT[unit]) * MS_BY_UNIT[unit];
    case 'week': {
      const days = Math.floor(localMs / MS_PER_DAY);
      return (days - isoWeekday(days) + 1) * MS_PER_DAY;
    }
    case 'month':
    case 'quarter':
    case 'year': {
      const { year, month } = civilFromDays(Math.floor(localMs / MS_PER_DAY));
      const first = unit === 'year' ? 1 : unit === 'month' ? month : month - ((month - 1) % 3);
      return daysFromCivil(year, first, 1) * MS_PER_DAY;
    }
  }
}

/** Adds units; a day that the target month lacks becomes its last day. */
export function addUnits(localMs: number, count: number, unit: CalendarUnit): number {
  switch (unit) {
    case 'second':
    case 'minute':
    case 'hour':
    case 'day':
      return localMs + count * MS_BY_UNIT[unit];
    case 'week':
      return localMs + count * 7 * MS_PER_DAY;
    case 'month':
    case 'quarter':
    case 'year':
      return addMonths(localMs, count * (unit === 'month' ? 1 : unit === 'quarter' ? 3 : 12));
  }
}

function addMonths(localMs: number, count: number): number {
  const days = Math.floor(localMs / MS_PER_DAY);
  const { year, month, day } = civilFromDays(days);
  const months = year * 12 + month - 1 + count;
  const newYear = Math.floor(months / 12);
  const newMonth = months - newYear * 12 + 1;
  const newDay = Math.min(day, daysInMonth(newYear, newMonth));
  return daysFromCivil(newYear, newMonth, newDay) * MS_PER_DAY + (localMs - days * MS_PER_DAY);
}
