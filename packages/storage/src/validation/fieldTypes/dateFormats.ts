/*
 * The date formats (VALID-22) as anchored regular expressions with named groups. A format combines a date part and a
 * time part; strict means the full number of digits, otherwise leading zeros are optional.
 */

interface Parts {
  readonly year: string;
  readonly two: string;
  readonly three: string;
}

const STRICT: Parts = { year: '\\d{4}', two: '\\d{2}', three: '\\d{3}' };
const LENIENT: Parts = { year: '\\d{1,4}', two: '\\d{1,2}', three: '\\d{1,3}' };

const ZONE = '(?<zone>Z|[+-]\\d{2}:?\\d{2})';
const FRACTION = '\\.(?<fraction>\\d{1,9})';
const BASIC_TIME = '(?<hour>\\d{2})(?<minute>\\d{2})(?<second>\\d{2})';
const BASIC_DATES = {
  date: '(?<year>\\d{4})(?<month>\\d{2})(?<day>\\d{2})',
  ordinal_date: '(?<year>\\d{4})(?<ordinal>\\d{3})',
  week_date: '(?<weekyear>\\d{4})W(?<week>\\d{2})(?<weekday>\\d)',
} as const;
const OPTIONAL_TIME = `(?<year>\\d{4})(?:-(?<month>\\d{2})(?:-(?<day>\\d{2})(?:T(?:(?<hour>\\d{2})(?::(?<minute>\\d{2})(?::(?<second>\\d{2})(?:[.,](?<fraction>\\d{1,9}))?)?)?${ZONE}?)?)?)?)?`;

function extendedFormats({ year, two, three }: Parts): [string, string][] {
  const y = `(?<year>${year})`;
  const date = `${y}-(?<month>${two})-(?<day>${two})`;
  const ordinal = `${y}-(?<ordinal>${three})`;
  const weekyear = `(?<weekyear>${year})`;
  const week = `${weekyear}-W(?<week>${two})-(?<weekday>\\d)`;
  const hour = `(?<hour>${two})`;
  const minute = `${hour}:(?<minute>${two})`;
  const second = `${minute}:(?<second>${two})`;
  const millis = `${second}\\.(?<fraction>${three})`;
  const hours: [string, string][] = [
    ['hour', hour],
    ['hour_minute', minute],
    ['hour_minute_second', second],
    ['hour_minute_second_millis', millis],
    ['hour_minute_second_fraction', second + FRACTION],
  ];
  const zoned: [string, string][] = [
    ['', millis + ZONE],
    ['_no_millis', second + ZONE],
  ];
  return [
    ['date', date],
    ['ordinal_date', ordinal],
    ['week_date', week],
    ['year', y],
    ['year_month', `${y}-(?<month>${two})`],
    ['year_month_day', date],
    ['weekyear', weekyear],
    ['weekyear_week', `${weekyear}-W(?<week>${two})`],
    ['weekyear_week_day', week],
    ...hours,
    ...hours.map(([name, time]): [string, string] => [`date_${name}`, `${date}T${time}`]),
    ...zoned.flatMap(([ending, time]): [string, string][] => [
      [`time${ending}`, time],
      [`t_time${ending}`, `T${time}`],
      [`date_time${ending}`, `${date}T${time}`],
      [`ordinal_date_time${ending}`, `${ordinal}T${time}`],
      [`week_date_time${ending}`, `${week}T${time}`],
    ]),
  ];
}

function basicFormats(): [string, string][] {
  const zoned: [string, string][] = [
    ['', `${BASIC_TIME}\\.(?<fraction>\\d{3})${ZONE}`],
    ['_no_millis', BASIC_TIME + ZONE],
  ];
  const dates = Object.entries(BASIC_DATES);
  return [
    ...dates.map(([name, date]): [string, string] => [`basic_${name}`, date]),
    ...zoned.flatMap(([ending, time]): [string, string][] => [
      [`basic_time${ending}`, time],
      [`basic_t_time${ending}`, `T${time}`],
      ...dates.map(([name, date]): [string, string] => [
        `basic_${name}_time${ending}`,
        `${date}T${time}`,
      ]),
    ]),
  ];
}

/** Formats that also have an older name without dashes. */
const UNDASHED: readonly [string, string][] = [
  ['year_month', '(?<year>\\d{4})(?<month>\\d{2})'],
  ['year_month_day', BASIC_DATES.date],
  ['weekyear_week', '(?<weekyear>\\d{4})W(?<week>\\d{2})'],
  ['weekyear_week_day', BASIC_DATES.week_date],
];

function strict([name, source]: readonly [string, string]): [string, string] {
  return [`strict_${name}`, source];
}

function collect(): ReadonlyMap<string, readonly RegExp[]> {
  const formats = new Map<string, RegExp[]>();
  const basic = basicFormats();
  const all = [
    ...extendedFormats(LENIENT),
    ...extendedFormats(STRICT).map(strict),
    ...basic,
    ...basic.filter(([name]) => name.startsWith('basic_week_')).map(strict),
    ...UNDASHED,
    ...UNDASHED.map(strict),
    ['strict_date_optional_time', OPTIONAL_TIME] as const,
  ];
  for (const [name, source] of all) {
    const expressions = formats.get(name) ?? [];
    expressions.push(new RegExp(`^${source}$`));
    formats.set(name, expressions);
  }
  return formats;
}

/** The expressions of each pattern format, by name. `epoch_millis` and `epoch_second` are numbers. */
export const DATE_PATTERNS: ReadonlyMap<string, readonly RegExp[]> = collect();

/** Milliseconds per unit of the numeric formats. */
export const EPOCH_FORMATS: ReadonlyMap<string, number> = new Map([
  ['epoch_millis', 1],
  ['epoch_second', 1_000],
]);
