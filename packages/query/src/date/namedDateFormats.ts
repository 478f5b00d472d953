/**
 * The named formats of Elasticsearch as patterns; `strict_` before a name means that numbers must be padded, otherwise
 * one digit is enough. Absent: those with a parser of their own (`epoch_millis`, `epoch_second`, `date_optional_time`).
 */
export const NAMED_DATE_FORMATS: ReadonlyMap<string, string> = new Map([
  ['basic_date', 'yyyyMMdd'],
  ['basic_date_time', "yyyyMMdd'T'HHmmss.SSSX"],
  ['basic_date_time_no_millis', "yyyyMMdd'T'HHmmssX"],
  ['basic_ordinal_date', 'yyyyDDD'],
  ['basic_ordinal_date_time', "yyyyDDD'T'HHmmss.SSSX"],
  ['basic_ordinal_date_time_no_millis', "yyyyDDD'T'HHmmssX"],
  ['basic_time', 'HHmmss.SSSX'],
  ['basic_time_no_millis', 'HHmmssX'],
  ['basic_t_time', "'T'HHmmss.SSSX"],
  ['basic_t_time_no_millis', "'T'HHmmssX"],
  ['basic_week_date', "YYYY'W'wwe"],
  ['date', 'yyyy-MM-dd'],
  ['date_hour', "yyyy-MM-dd'T'HH"],
  ['date_hour_minute', "yyyy-MM-dd'T'HH:mm"],
  ['date_hour_minute_second', "yyyy-MM-dd'T'HH:mm:ss"],
  ['date_hour_minute_second_fraction', "yyyy-MM-dd'T'HH:mm:ss.SSS"],
  ['date_hour_minute_second_millis', "yyyy-MM-dd'T'HH:mm:ss.SSS"],
  ['date_time', "yyyy-MM-dd'T'HH:mm:ss.SSSXXX"],
  ['date_time_no_millis', "yyyy-MM-dd'T'HH:mm:ssXXX"],
  ['hour', 'HH'],
  ['hour_minute', 'HH:mm'],
  ['hour_minute_second', 'HH:mm:ss'],
  ['hour_minute_second_fraction', 'HH:mm:ss.SSS'],
  ['hour_minute_second_millis', 'HH:mm:ss.SSS'],
  ['ordinal_date', 'yyyy-DDD'],
  ['ordinal_date_time', "yyyy-DDD'T'HH:mm:ss.SSSXXX"],
  ['ordinal_date_time_no_millis', "yyyy-DDD'T'HH:mm:ssXXX"],
  ['time', 'HH:mm:ss.SSSXXX'],
  ['time_no_millis', 'HH:mm:ssXXX'],
  ['t_time', "'T'HH:mm:ss.SSSXXX"],
  ['t_time_no_millis', "'T'HH:mm:ssXXX"],
  ['week_date', "YYYY-'W'ww-e"],
  ['week_date_time', "YYYY-'W'ww-e'T'HH:mm:ss.SSSXXX"],
  ['week_date_time_no_millis', "YYYY-'W'ww-e'T'HH:mm:ssXXX"],
  ['weekyear', 'YYYY'],
  ['weekyear_week', "YYYY-'W'ww"],
  ['weekyear_week_day', "YYYY-'W'ww-e"],
  ['year', 'yyyy'],
  ['year_month', 'yyyy-MM'],
  ['year_month_day', 'yyyy-MM-dd'],
]);

/** Names that never have a strict form. */
const BASIC_PREFIX = 'basic_';
