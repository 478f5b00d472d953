const MS_PER_DAY = 86_400_000;

type Groups = Readonly<Record<string, string | undefined>>;

/**
 * The instant of a matched date. Defaults of absent parts: month, day and week 1; time 0; the current UTC day without
 * any date; UTC without a zone.
 * @returns milliseconds, or undefined if a part is out of range
 */
export function toInstant(groups: Groups, nowMs: number): number | undefined {
  const dayMs = toDay(groups, nowMs);
  const number = (name: string) => Number(groups[name] ?? 0);
  const [hour, minute, second] = [number('hour'), number('minute'), number('second')];
  if (dayMs === undefined || hour > 23 || minute > 59 || second > 59) return undefined;
  const offset = toOffset(groups.zone ?? 'Z');
  if (offset === undefined) return undefined;
  const fraction = Math.floor(Number(`0.${groups.fraction ?? '0'}`) * 1_000);
  return dayMs + ((hour * 60 + minute - offset) * 60 + second) * 1_000 + fraction;
}

function toDay(groups: Groups, nowMs: number): number | undefined {
  if (groups.weekyear !== undefined) return toWeekDay(groups);
  if (groups.year === undefined) return Math.floor(nowMs / MS_PER_DAY) * MS_PER_DAY;
  const year = Number(groups.year);
  if (groups.ordinal !== undefined) {
    const ordinal = Number(groups.ordinal);
    const lastOrdinal = (firstOfYear(year + 1) - firstOfYear(year)) / MS_PER_DAY;
    if (ordinal < 1 || ordinal > lastOrdinal) return undefined;
    return firstOfYear(year) + (ordinal - 1) * MS_PER_DAY;
  }
  const [month, day] = [Number(groups.month ?? 1), Number(groups.day ?? 1)];
  const date = new Date(firstOfYear(year));
  date.setUTCMonth(month - 1, day);
  const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isReal && month >= 1 ? date.getTime() : undefined;
}

/** ISO weeks: week 1 contains 4 January, day 1 is Monday. */
function toWeekDay(groups: Groups): number | undefined {
  const year = Number(groups.weekyear);
  const [week, weekday] = [Number(groups.week ?? 1), Number(groups.weekday ?? 1)];
  const weeks = Math.round((firstWeek(year + 1) - firstWeek(year)) / (7 * MS_PER_DAY));
  if (week < 1 || week > weeks || weekday < 1 || weekday > 7) return undefined;
  return firstWeek(year) + ((week - 1) * 7 + weekday - 1) * MS_PER_DAY;
}

function firstWeek(year: number): number {
  const fourth = firstOfYear(year) + 3 * MS_PER_DAY;
  const sinceMonday = (new Date(fourth).getUTCDay() + 6) % 7;
  return fourth - sinceMonday * MS_PER_DAY;
}

function firstOfYear(year: number): number {
  const date = new Date(0);
  // Not `Date.UTC`, which maps the years 0 to 99 to the 20th century.
  date.setUTCFullYear(year, 0, 1);
  return date.getTime();
}

/** Minutes. */
function toOffset(zone: string): number | undefined {
  if (zone === 'Z') return 0;
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(-2))];
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}
